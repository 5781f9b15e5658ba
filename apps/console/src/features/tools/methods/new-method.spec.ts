import { expect, it } from '@jest/globals';
import { buildMethod } from './new-method.ts';

it('makes ports of the parameters, and of the variables of the path', () => {
  const method = buildMethod({
    name: 'createOrder',
    description: 'Creates',
    httpMethod: 'post',
    path: '/shops/{shop}/orders/{id}',
    parameters: [
      { name: 'id', in: 'path', type: 'integer' },
      { name: 'dry', in: 'query', type: 'boolean' },
      { name: 'lines', in: 'body', type: 'array', required: true },
    ],
  });
  expect(method).toEqual({
    name: 'createOrder',
    description: 'Creates',
    httpMethod: 'post',
    path: '/shops/{shop}/orders/{id}',
    inputSchema: {
      type: 'object',
      properties: {
        shop: { type: 'string', isPort: true },
        id: { type: 'integer', isPort: true },
        dry: { type: 'boolean', isPort: true },
        lines: { type: 'array', items: {}, isPort: true },
      },
      required: ['shop', 'id', 'lines'],
    },
    bindings: [
      { port: 'shop', in: 'path', name: 'shop' },
      { port: 'id', in: 'path', name: 'id' },
      { port: 'dry', in: 'query', name: 'dry' },
      { port: 'lines', in: 'body', name: 'lines' },
    ],
    bodyMediaType: 'application/json',
  });
});

it('tells parameters of the same name apart, and keeps the last of two equal ones', () => {
  const { bindings, inputSchema, bodyMediaType } = buildMethod({
    name: 'm',
    httpMethod: 'post',
    path: '/a',
    bodyMediaType: 'multipart/form-data',
    parameters: [
      { name: 'id', in: 'query', type: 'string' },
      { name: 'id', in: 'query', type: 'integer' },
      { name: 'id', in: 'header', type: 'string' },
      { name: 'id', in: 'body', type: 'number' },
    ],
  });
  expect(bindings).toEqual([
    { port: 'id__query', in: 'query', name: 'id' },
    { port: 'id__header', in: 'header', name: 'id' },
    { port: 'id', in: 'body', name: 'id' },
  ]);
  expect(inputSchema).toMatchObject({
    properties: { id__query: { type: 'integer' }, id: { type: 'number' } },
  });
  expect(inputSchema).not.toHaveProperty('required');
  expect(bodyMediaType).toBe('multipart/form-data');
});

it('has neither ports nor a body without parameters', () => {
  expect(buildMethod({ name: 'm', httpMethod: 'get', path: '/' })).toEqual({
    name: 'm',
    httpMethod: 'get',
    path: '/',
    bindings: [],
    inputSchema: { type: 'object', properties: {} },
  });
});

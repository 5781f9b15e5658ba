import { expect, it, jest } from '@jest/globals';
import type { Tool, ToolMethod } from '@platform/contracts';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { client } from '../../../api.ts';
import { renderInApp } from '../../../../test/render.tsx';
import { TryDrawer } from './try-drawer.tsx';

const METHOD = {
  name: 'readLight',
  description: '',
  httpMethod: 'get',
  path: '/lights/{light}',
  acts: false,
  inputSchema: {
    type: 'object',
    properties: {
      limit: { type: 'integer' },
      filter: { type: 'object', properties: {} },
      light: { type: 'string', examples: ['7'], description: 'The number on its base.' },
    },
  },
  bindings: [
    { port: 'light', in: 'path', name: 'light' },
    { port: 'limit', in: 'query', name: 'limit' },
  ],
} as unknown as ToolMethod;
const TOOL = { id: 't1', name: 'Lights', methods: [METHOD] } as Tool;
const RESULT = { status: 200, output: null, durationMs: 5, cached: false, warnings: [], response: null };

const field = (name: RegExp) => screen.getByLabelText<HTMLTextAreaElement>(name);
const enter = (name: RegExp, value: string) => fireEvent.change(field(name), { target: { value } });
const call = () => screen.getByRole<HTMLButtonElement>('button', { name: /Call method/ });

it('sends what was entered in the form, and shows it as JSON', async () => {
  const invoke = jest.spyOn(client.tools, 'invoke').mockResolvedValue(RESULT);
  await renderInApp(<TryDrawer tool={TOOL} method={METHOD} onClose={jest.fn()} />);
  expect(field(/^light/).value).toBe('7');
  expect(screen.getByText('string · path')).toBeTruthy();
  expect(screen.getByText('The number on its base.')).toBeTruthy();
  enter(/^light/, '8');
  enter(/^filter/, '{"dim": true}');
  enter(/^limit/, '5');
  fireEvent.click(call());
  await waitFor(() => expect(invoke).toHaveBeenCalledTimes(1));
  expect(invoke.mock.calls[0]?.[2]).toEqual({ input: { light: '8', filter: { dim: true }, limit: 5 } });

  fireEvent.click(screen.getByText('JSON'));
  await screen.findByLabelText('Input');
  // The editor replaces the field in which the text is edited until it is loaded.
  expect(JSON.parse(field(/^Input$/).value)).toEqual({ light: '8', filter: { dim: true }, limit: 5 });
  enter(/^Input$/, '{"light": "9", "extra": 1}');
  fireEvent.click(screen.getByText('Form'));
  expect(field(/^light/).value).toBe('9');
  expect(field(/^limit/).value).toBe('');
  expect(screen.getByText('Only in the JSON: extra')).toBeTruthy();
});

it('does not send a text that is no value of its field', async () => {
  await renderInApp(<TryDrawer tool={TOOL} method={METHOD} onClose={jest.fn()} />);
  enter(/^limit/, 'many');
  enter(/^filter/, '{"dim":');
  expect(field(/^limit/).getAttribute('aria-invalid')).toBe('true');
  expect(screen.getByText('Enter a number')).toBeTruthy();
  expect(call().disabled).toBe(true);
  enter(/^filter/, '');
  expect(call().disabled).toBe(true);
  enter(/^limit/, '');
  expect(call().disabled).toBe(false);
});

it('offers the values of a choice, sends them with their type, and leaves them out again', async () => {
  const invoke = jest.spyOn(client.tools, 'invoke').mockResolvedValue(RESULT);
  invoke.mockClear();
  const properties = { moored: { type: 'boolean' }, sort: { enum: ['name', 7] } };
  const method = { ...METHOD, bindings: [], inputSchema: { type: 'object', properties } } as ToolMethod;
  await renderInApp(<TryDrawer tool={TOOL} method={method} onClose={jest.fn()} />);
  const choose = (name: string, option: string) => {
    fireEvent.mouseDown(screen.getByLabelText(name));
    fireEvent.click(screen.getByTitle(option));
  };
  choose('moored', 'false');
  choose('sort', '7');
  fireEvent.click(call());
  await waitFor(() => expect(invoke).toHaveBeenCalledTimes(1));
  expect(invoke.mock.calls[0]?.[2]).toEqual({ input: { moored: false, sort: 7 } });
  choose('sort', 'name');
  fireEvent.click(document.querySelectorAll('.ant-select-clear')[0] as Element);
  await waitFor(() => expect(call().classList).not.toContain('ant-btn-loading'));
  fireEvent.click(call());
  await waitFor(() => expect(invoke).toHaveBeenCalledTimes(2));
  expect(invoke.mock.calls[1]?.[2]).toEqual({ input: { sort: 'name' } });
});

it('sends the digits of a large integer, and no number that would become another one', async () => {
  const invoke = jest.spyOn(client.tools, 'invoke').mockResolvedValue(RESULT);
  invoke.mockClear();
  const id = { type: ['integer', 'string'], pattern: '^-?[0-9]{1,19}$' };
  const properties = { id, filter: { type: 'object', properties: {} } };
  const method = { ...METHOD, bindings: [], inputSchema: { type: 'object', properties } } as ToolMethod;
  await renderInApp(<TryDrawer tool={TOOL} method={method} onClose={jest.fn()} />);
  enter(/^id/, '9007199254740993');
  enter(/^filter/, '{"id": 9007199254740993}');
  expect(screen.getByText(/^id is an integer that a number cannot hold exactly/)).toBeTruthy();
  expect(call().disabled).toBe(true);
  enter(/^filter/, '{"id": "9007199254740993"}');
  fireEvent.click(call());
  await waitFor(() => expect(invoke).toHaveBeenCalledTimes(1));
  expect(invoke.mock.calls[0]?.[2]).toEqual({
    input: { id: '9007199254740993', filter: { id: '9007199254740993' } },
  });
  fireEvent.click(screen.getByText('JSON'));
  fireEvent.change(await screen.findByLabelText('Input'), { target: { value: '{"id": 9007199254740993}' } });
  expect(screen.getByText(/^id is an integer that a number cannot hold exactly/)).toBeTruthy();
  expect(call().disabled).toBe(true);
});

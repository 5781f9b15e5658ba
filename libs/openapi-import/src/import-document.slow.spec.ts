import { importDocument } from './import-document.ts';

it('follows a chain of 600 references', async () => {
  const chain = Object.fromEntries(
    Array.from({ length: 600 }, (_, i) => [`S${i}`, { $ref: `#/components/schemas/S${i + 1}` }]),
  );
  const schema = { type: 'object', properties: { x: { $ref: '#/components/schemas/S0' } } };
  const { methods } = await importDocument({
    text: JSON.stringify({
      openapi: '3.0.3',
      components: { schemas: { ...chain, S600: { type: 'integer' } } },
      paths: {
        '/a': { post: { responses: {}, requestBody: { content: { 'application/json': { schema } } } } },
      },
    }),
  });
  expect(methods[0]?.inputSchema.properties).toMatchObject({ x: { type: 'integer' } });
});

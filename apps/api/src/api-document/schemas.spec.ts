import { allowNulls, completeSchemas } from './schemas.ts';

describe('completeSchemas', () => {
  it('lets free-form objects have every key, and nothing else', () => {
    const schema = {
      type: 'object',
      properties: {
        payload: { type: 'object' },
        closed: { type: 'object', additionalProperties: false },
        either: { anyOf: [{ type: 'object' }, { type: 'string' }], nullable: true },
      },
      example: { type: 'object', payload: { type: 'object' } },
    };
    completeSchemas(schema);
    expect(schema).toEqual({
      type: 'object',
      properties: {
        payload: { type: 'object', additionalProperties: true },
        closed: { type: 'object', additionalProperties: false },
        either: {
          anyOf: [{ type: 'object', additionalProperties: true, nullable: true }, { type: 'string' }],
        },
      },
      example: { type: 'object', payload: { type: 'object' } },
    });
  });

  it('lists the values of an enum in the same order in every build', () => {
    const schema = { properties: { source: { type: 'string', enum: ['job', 'chat', 'execute'] } } };
    completeSchemas(schema);
    expect(schema.properties.source.enum).toEqual(['chat', 'execute', 'job']);
  });
});

describe('allowNulls', () => {
  it('lets optional fields of requests be null, but not of what responses contain', () => {
    const optional = (properties: Record<string, object>) => ({ required: ['id'], properties });
    const text = { type: 'string' };
    const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
    const schemas = {
      Create: optional({ id: text, name: text, part: reference('Part'), shared: reference('Shared') }),
      Part: optional({ n: text }),
      Shared: optional({ n: text }),
    };
    const operation = { requestBody: reference('Create'), responses: { 200: reference('Shared') } };
    allowNulls({ paths: { '/': { post: operation } } } as never, schemas);
    expect(schemas).toEqual({
      Create: optional({
        id: text,
        name: { type: 'string', nullable: true },
        part: { allOf: [reference('Part')], nullable: true },
        shared: { allOf: [reference('Shared')], nullable: true },
      }),
      Part: optional({ n: { type: 'string', nullable: true } }),
      Shared: optional({ n: text }),
    });
  });
});

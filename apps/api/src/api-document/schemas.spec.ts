import { completeSchemas } from './schemas.ts';

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

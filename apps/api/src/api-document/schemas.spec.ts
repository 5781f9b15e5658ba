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
});

import { hashJson } from '../../infra/runtime/json.ts';
import { checkSchema, PayloadSchemasService } from './payload-schemas.service.ts';

const TOO_LONG = ['payload takes too long to validate against the schema'];

function validate(schema: Record<string, unknown>, payload: Record<string, unknown>): string[] {
  expect(checkSchema(schema, '')).toEqual([]);
  return new PayloadSchemasService().validate(schema, hashJson(schema), payload);
}

describe('large payload schemas', () => {
  it('with many patterns end within their budget', () => {
    const pattern = (text: string) => ({ additionalProperties: { pattern: text } });
    // Half a minute of compilation in 60 KB.
    const long = Array.from({ length: 300 }, (_, i) => pattern(`${'a{1,999}'.repeat(20)}${i}`));
    expect(checkSchema({ allOf: long }, '/s')).toEqual(['/s takes too long to compile']);
    const many = { allOf: Array.from({ length: 20 }, (_, i) => pattern(`(a{1,${i + 2}}){1,5}b`)) };
    expect(validate(many, { a: 'a'.repeat(200_000) })).toEqual(TOO_LONG);
  });

  it('that multiply with a large payload end within their budget', () => {
    const list = Array.from({ length: 100_000 }, () => 1);
    const objects = Array.from({ length: 80_000 }, () => ({}));
    expect(validate({ properties: { list: { uniqueItems: true } } }, { list: objects })).toEqual([
      'payload.list must NOT have duplicate items',
    ]);
    const keys = Object.fromEntries(list.map((_, i) => [`k${i}`, i]));
    expect(validate({ additionalProperties: { type: 'integer' } }, keys)).toEqual([]);
    const problems = validate({ additionalProperties: { type: 'string' } }, keys);
    expect(problems[0]).toBe('payload.k0 must be string');
    expect(problems).toHaveLength(1_000);
  });
});

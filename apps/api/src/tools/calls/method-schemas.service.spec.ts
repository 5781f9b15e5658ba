import { MethodSchemasService, type ValidatedMethod } from './method-schemas.service.ts';

function method(
  inputSchema: Record<string, unknown>,
  changes: Partial<ValidatedMethod> = {},
): ValidatedMethod {
  const bindings = [{ port: 'a' }, { port: 'b' }];
  return {
    id: 'm',
    version: JSON.stringify(inputSchema).slice(0, 100),
    inputSchema,
    outputSchema: {},
    bindings,
    ...changes,
  };
}

describe('schemas of methods', () => {
  it('validate against a schema of the current version', () => {
    const schemas = new MethodSchemasService();
    expect(schemas.validateInput(method({ required: ['a'] }), { a: 1 })).toEqual([]);
    expect(() => schemas.validateInput(method({ required: ['a'] }), {})).toThrow('input.a is required');
    expect(schemas.validateInput(method({ required: ['b'] }), { b: 1 })).toEqual([]);
    expect(() => schemas.validateInput(method({}), { toString: 1 })).toThrow(
      'input.toString is not a known field',
    );
  });

  it('leave out patterns without a linear-time program, and keep the others', () => {
    const schemas = new MethodSchemasService();
    const properties = { a: { type: 'string', pattern: '^(?!x)' }, b: { type: 'string', pattern: '^y' } };
    expect(schemas.validateInput(method({ properties }), { a: 'x', b: 'y' })).toEqual([]);
    expect(() => schemas.validateInput(method({ properties }), { b: 'x' })).toThrow(
      'input.b must match pattern "^y"',
    );
    const patterns = { a: { patternProperties: { '(?=z)': { type: 'string' }, '^y': { type: 'string' } } } };
    expect(() => schemas.validateInput(method({ properties: patterns }), { a: { y: 1, z: 1 } })).toThrow(
      /^input\.a\.y must be string$/,
    );
  });

  it.each([
    ['too deep', Array.from({ length: 70 }).reduce<object>((inner) => ({ items: inner }), {})],
    ['a circle', { $ref: '#' }],
    ['no schema', { properties: { a: { type: 'text' } } }],
  ])('do not keep a method from being called: %s', (_, schema) => {
    const schemas = new MethodSchemasService();
    const given = method(schema as Record<string, unknown>);
    expect(schemas.validateInput(given, { a: 1 })).toEqual([
      'The input was not validated: its schema cannot be compiled',
    ]);
  });

  it('accept integers that are written as texts, also behind references', () => {
    const schemas = new MethodSchemasService();
    const $defs = { Id: { type: 'integer', format: 'int64' } };
    const given = method({ $defs, properties: { a: { $ref: '#/$defs/Id' } } });
    expect(schemas.validateInput(given, { a: '9007199254740993' })).toEqual([]);
    expect(() => schemas.validateInput(given, { a: 'x' })).toThrow('input.a must be integer');
  });

  it('end within a second, and are not compiled again at once', () => {
    const schemas = new MethodSchemasService();
    const slow = (i: number) => ({ additionalProperties: { pattern: `(a{1,${i + 2}}){1,5}b` } });
    const given = method({ allOf: Array.from({ length: 3_000 }, (_, i) => slow(i % 150)) });
    expect(schemas.validateInput(given, {})).toHaveLength(1);
    // Each compilation would take its second, and the test would time out.
    for (let i = 0; i < 50; i++) expect(schemas.validateInput(given, {})).toHaveLength(1);
  });

  it('say what is wrong with an output in a short warning', () => {
    const schemas = new MethodSchemasService();
    const outputSchema = { items: { type: 'string' } };
    const [warning = ''] = schemas.validateOutput(method({}, { outputSchema }), Array(10_000).fill(1));
    expect(warning).toMatch(/^The output does not match its schema: output\[0\] must be string; /);
    expect(Buffer.byteLength(warning)).toBeLessThanOrEqual(1_000);
    const empty = { type: 'object', properties: {}, description: 'x' };
    expect(schemas.validateOutput(method({}, { outputSchema: empty }), 'text')).toEqual([]);
  });
});

import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { buildInstance } from './schema-instance.ts';

const ajv = new Ajv2020({ strict: false });
// The package is CommonJS: its function is the default export of the default export.
(formats as unknown as { default: (ajv: Ajv2020) => void }).default(ajv);

const object = (properties: object, more: object = {}) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
});
const tree = {
  $ref: '#/$defs/node',
  $defs: {
    node: object({ name: { type: 'string' }, next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] } }),
  },
};

describe('buildInstance', () => {
  it.each<[string, object]>([
    ['nothing', {}],
    [
      'all types',
      object({ a: { type: 'string' }, b: { type: 'number' }, c: { type: 'boolean' }, d: { type: 'null' } }),
    ],
    [
      'bounds',
      object({
        a: { type: 'integer', minimum: 5, exclusiveMaximum: 7 },
        b: { minimum: -3, maximum: -2, type: 'number' },
      }),
    ],
    [
      'steps',
      object({
        a: { type: 'integer', multipleOf: 7, minimum: 8 },
        b: { type: 'number', exclusiveMinimum: 0.25, maximum: 1 },
      }),
    ],
    ['lengths', object({ a: { type: 'string', minLength: 40 }, b: { type: 'string', maxLength: 2 } })],
    [
      'arrays',
      { type: 'array', minItems: 3, items: object({ a: { type: 'array', items: { type: 'integer' } } }) },
    ],
    ['tuples', { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }], items: false }],
    [
      'choices',
      object({
        a: { enum: ['x', 'y'] },
        b: { const: 7 },
        c: { oneOf: [{ type: 'null' }, { type: 'integer' }] },
      }),
    ],
    [
      'parts',
      {
        allOf: [object({ a: { type: 'string' } }, { additionalProperties: true }), { $ref: '#/$defs/b' }],
        $defs: { b: object({ b: { type: 'integer' } }, { additionalProperties: true }) },
      },
    ],
    [
      'formats',
      object(
        Object.fromEntries(
          ['date-time', 'date', 'email', 'uuid', 'uri', 'ipv6'].map((format) => [
            format,
            { type: 'string', format },
          ]),
        ),
      ),
    ],
    ['a list of types', object({ a: { type: ['string', 'null'] } })],
    ['recursion', tree],
    [
      'recursion through a list',
      {
        type: 'object',
        properties: { children: { type: 'array', items: { $ref: '#' } } },
        required: ['children'],
      },
    ],
    [
      'a key that has a meaning',
      { type: 'object', properties: JSON.parse('{"__proto__":{"type":"integer"}}'), required: ['__proto__'] },
    ],
    ['undeclared keys', { type: 'object', required: ['a'], additionalProperties: { type: 'integer' } }],
  ])('is valid for %s', (_, schema) => {
    const made: unknown = JSON.parse(JSON.stringify(buildInstance(schema, 'You said: Hi')));
    expect(ajv.validate(schema, made) || ajv.errors).toBe(true);
  });

  it('ends, whatever the schema is', () => {
    const endless = { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } };
    const wide = { type: 'array', minItems: 1e9, items: { $ref: '#' } };
    const deep = { type: 'object', properties: { a: { $ref: '#' } }, required: ['a'] };
    for (const schema of [endless, wide, deep, null, 7, true, { $ref: '%' }, { $ref: '#/%' }, { enum: [] }]) {
      expect(JSON.stringify([buildInstance(schema, 'x')]).length).toBeLessThan(20_000);
    }
  });
});

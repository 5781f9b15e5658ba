import type { JsonSchema, ManifestColumn } from '@platform/contracts';
import { findMisfits } from './payload-fit.ts';

const COLUMNS: ManifestColumn[] = [
  { name: 'name', type: 'string', required: true },
  { name: 'count', type: 'integer', required: true },
  { name: 'price', type: 'number' },
  { name: 'paid', type: 'boolean' },
  { name: 'due', type: 'datetime' },
  { name: 'extra', type: 'json' },
];
const misfits = (schema: JsonSchema) => findMisfits(COLUMNS, schema);
const field = (name: string, schema: unknown) => ({ properties: { [name]: schema } });

describe('a schema that some rows can satisfy', () => {
  it.each<[string, JsonSchema]>([
    ['allows everything', true],
    ['is empty', {}],
    [
      'requires columns, the id, and the time',
      { type: 'object', required: ['id', 'createdAt', 'name', 'price'] },
    ],
    [
      'types every column',
      {
        properties: {
          count: { type: 'number' },
          price: { type: ['integer', 'null'] },
          due: { type: 'string' },
        },
      },
    ],
    ['allows an optional column only without a value', field('price', { type: 'null' })],
    ['names some of the columns and leaves the others open', field('name', { const: 'a' })],
    [
      'closes itself around all columns',
      {
        additionalProperties: false,
        properties: { id: true, createdAt: {}, name: {}, count: {}, price: {}, paid: {}, due: {}, extra: {} },
      },
    ],
    ['could close itself by patterns', { additionalProperties: false, patternProperties: { '.*': {} } }],
    [
      'could close itself by a reference',
      { unevaluatedProperties: false, $ref: '#/$defs/a', $defs: { a: {} } },
    ],
    ['has an alternative that fits', { anyOf: [{ required: ['missing'] }, { required: ['name'] }] }],
    ['has an enum with a fitting value', field('price', { enum: ['free', 9.5] })],
    ['refers to nothing that is known', { $ref: 'https://example.com/schema' }],
    ['refers to itself', { $ref: '#', properties: { name: { $ref: '#/properties/name' } } }],
  ])('%s', (_, schema) => expect(misfits(schema)).toEqual([]));
});

describe('a schema that no row can satisfy', () => {
  it.each<[string, JsonSchema, string]>([
    ['allows nothing', false, 'allows no payload'],
    ['is not for objects', { type: 'array' }, 'does not allow an object'],
    ['requires another field', { required: ['total'] }, 'requires "total", which the table does not have'],
    ['requires the time of a change', { required: ['updatedAt'] }, 'requires "updatedAt"'],
    [
      'has another type for a column',
      field('name', { type: 'integer' }),
      'does not allow the type of "name"',
    ],
    ['has another type for the id', field('id', { type: 'integer' }), 'does not allow the type of "id"'],
    ['allows a required column only without a value', field('name', { type: 'null' }), 'the type of "name"'],
    ['has another constant', field('paid', { const: 'yes' }), 'does not allow the type of "paid"'],
    [
      'has an enum of other types',
      field('count', { enum: ['1', 1.5] }),
      'does not allow the type of "count"',
    ],
    ['refuses a column', field('extra', false), 'does not allow "extra"'],
    ['is closed', { additionalProperties: false, properties: { id: {} } }, 'does not allow "createdAt"'],
    [
      'is closed in another way',
      { unevaluatedProperties: false, properties: { id: {} } },
      'does not allow "createdAt"',
    ],
    [
      'types the other fields',
      { additionalProperties: { type: 'boolean' } },
      'does not allow the type of "id"',
    ],
    ['requires more fields', { minProperties: 9 }, 'requires 9 fields, and the table has 8'],
    ['allows fewer fields', { maxProperties: 7 }, 'allows at most 7 fields, and the table has 8'],
    [
      'says so behind a reference',
      { $ref: '#/$defs/a~1b', $defs: { 'a/b': { required: ['x'] } } },
      'requires "x"',
    ],
    ['says so in a part', { allOf: [{}, { required: ['x'] }] }, 'requires "x"'],
    ['says so in every alternative', { oneOf: [{ required: ['x'] }, { required: ['y'] }] }, 'requires "x"'],
    [
      'says so behind a reference of a column',
      {
        properties: { name: { $ref: '#/$defs/n' } },
        $defs: { n: { allOf: [{ type: 'number' }] } },
      },
      'does not allow the type of "name"',
    ],
  ])('%s', (_, schema, reason) => expect(misfits(schema)[0]).toContain(reason));

  it('is named with every reason', () => {
    expect(misfits({ required: ['x', 'y'], properties: { name: { type: 'null' } } })).toHaveLength(3);
  });
});

it('comes to an end with a schema that doubles with each reference', () => {
  const $defs: Record<string, unknown> = { d0: { required: ['x'] } };
  for (let i = 1; i < 40; i++) {
    const twice = { $ref: `#/$defs/d${i - 1}` };
    $defs[`d${i}`] = {
      allOf: [twice, { ...twice }],
      properties: { name: twice, price: { anyOf: [twice, { ...twice }] } },
    };
  }
  expect(misfits({ $ref: '#/$defs/d39', $defs })).toContain('requires "x", which the table does not have');
});

it('comes to an end with a long chain of references', () => {
  const $defs: Record<string, unknown> = {};
  for (let i = 0; i < 15_000; i++) {
    const next = { $ref: `#/$defs/d${i + 1}` };
    $defs[`d${i}`] = { ...next, properties: { name: next } };
  }
  expect(misfits({ $ref: '#/$defs/d0', $defs })).toEqual([]);
  expect(misfits({ $ref: '#/$defs/d0', $defs, required: ['x'] })).toHaveLength(1);
});

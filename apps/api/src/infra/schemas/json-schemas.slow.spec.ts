import { cpuMsOf } from '../../../e2e/harness/cpu-time.ts';
import { JsonSchemas } from './json-schemas.ts';

type Schema = Record<string, unknown>;
type Value = (size: number) => Schema;

const LIMITS = { bytes: 65_536, depth: 16, patterns: 'required' } as const;
const SIZE = 80_000;
/** What copied or compared everything for every item took 10,000 or more. */
const MOST_CPU_MS = 2_500;

const repeated = (count: number, item: (i: number) => unknown) =>
  Array.from({ length: count }, (_, i) => item(i));
const fields = (count: number, key: string, value: (i: number) => unknown): Schema =>
  Object.fromEntries(repeated(count, (i) => [`${key}${i}`, value(i)]) as [string, unknown][]);

const LINE = { type: 'object', required: ['sku'], properties: { sku: { type: 'string' } } };
const line = { $ref: '#/$defs/line' };
const linesOf = (lines: Schema, $defs: Schema = { line: LINE }): Schema => ({ properties: { lines }, $defs });
const chain = (length: number, last: unknown, link: (next: Schema) => Schema): Schema => ({
  ...fields(length, 's', (i) => link({ $ref: `#/$defs/s${i + 1}` })),
  [`s${length}`]: last,
});

const objects: Value = (size) => ({ lines: repeated(size, () => ({})) });
const texts: Value = (size) => ({ lines: repeated(size, () => 'x') });
const named: Value = (size) => ({ lines: fields(size, 'k', () => ({})) });
const tree: Value = (size) => ({
  lines: repeated(size / 8, () => ({ lines: repeated(7, () => ({})) })),
});
const names = repeated(1_000, (i) => `name${i}`);
const alike = (j: number) => fields(500, 'k', (i) => (i === 0 ? j : 1));
const passing = { patternProperties: { '^k': {} } };

describe('schemas cost processor time in proportion to what they refuse', () => {
  it.each<[string, Schema, Value]>([
    ['$ref', linesOf({ items: line }), objects],
    ['nested $ref', linesOf({ $ref: '#/$defs/all' }, { line: LINE, all: { items: line } }), objects],
    [
      'a chain of $ref',
      linesOf(
        { $ref: '#/$defs/s0' },
        chain(100, { items: LINE }, (next) => next),
      ),
      objects,
    ],
    ['recursive $ref', { properties: { lines: { items: { $ref: '#' } } }, required: ['sku'] }, tree],
    ['allOf', linesOf({ items: { allOf: [line, line, line] } }), objects],
    ['anyOf', linesOf({ items: { anyOf: [line, line, { type: 'string' }] } }), objects],
    ['oneOf', linesOf({ items: { oneOf: [line, line, { type: 'string' }] } }), objects],
    ['if', linesOf({ items: { if: line, else: line } }), objects],
    ['contains', linesOf({ contains: line }), objects],
    ['not', linesOf({ items: { not: { allOf: [{ type: 'object' }] } } }), objects],
    ['patternProperties', linesOf({ patternProperties: { '^k': line } }), named],
    ['additionalProperties', linesOf({ additionalProperties: line }), named],
    ['unevaluatedProperties', linesOf({ unevaluatedProperties: line }), named],
    ['propertyNames', linesOf({ propertyNames: line }, { line: { pattern: '^x' } }), named],
    ['required', linesOf({ items: { required: names } }), objects],
    [
      'dependentRequired',
      linesOf({ items: { dependentRequired: { a: names } } }),
      (size) => ({ lines: repeated(size, () => ({ a: 1 })) }),
    ],
    ['a large enum', linesOf({ items: line }, { line: { enum: repeated(4_000, (i) => `v${i}`) } }), texts],
    [
      'an enum of large objects',
      linesOf({ items: { enum: repeated(10, alike) } }),
      (size) => ({ lines: repeated(size / 30, () => alike(-1)) }),
    ],
    [
      'merged annotations',
      {
        $ref: '#/$defs/s0',
        unevaluatedProperties: false,
        $defs: {
          ...chain(60, passing, (next) => ({ allOf: [next, { $ref: '#/$defs/few' }] })),
          few: passing,
        },
      },
      (size) => fields(size, 'k', () => 1),
    ],
    [
      'long paths',
      linesOf({ additionalProperties: { items: line } }),
      (size) => ({ lines: { ['x'.repeat(2 * size)]: repeated(size, () => ({})) } }),
    ],
  ])('%s', async (name, schema, value) => {
    const schemas = new JsonSchemas(LIMITS);
    schemas.validate(schema, name, value(SIZE / 1_000), 'payload');
    const refused = value(SIZE);
    let problems: string[] = [];
    const ms = await cpuMsOf(() => (problems = schemas.validate(schema, name, refused, 'payload')));
    expect(problems).not.toEqual([]);
    expect(ms).toBeLessThan(MOST_CPU_MS);
  });
});

import vm from 'node:vm';
import { jest } from '@jest/globals';
import { cpuMsOf } from '../../../e2e/harness/cpu-time.ts';
import { hashJson } from '../../infra/runtime/json.ts';
import { checkSchema, PayloadSchemasService } from './payload-schemas.service.ts';

type Payload = Record<string, unknown>;

const TOO_LONG = ['payload takes too long to validate against the schema'];

function validate(schema: Record<string, unknown>, payload: Payload): string[] {
  expect(checkSchema(schema, '')).toEqual([]);
  return new PayloadSchemasService().validate(schema, hashJson(schema), payload);
}

const nested = (levels: number, wrap: (inner: unknown) => unknown): unknown =>
  Array.from({ length: levels }).reduce((inner) => wrap(inner), {});

// First, before anything of the checks is compiled.
it('are accepted as soon as there is time, wherever earlier checks were interrupted', () => {
  const run = vm.runInNewContext.bind(vm);
  const running = jest.spyOn(vm, 'runInNewContext');
  for (let timeout = 1, problems = ['none yet']; problems.length > 0; timeout++) {
    running.mockImplementation((code, context): unknown => run(code, context, { timeout }));
    problems = checkSchema({ type: 'object' }, '/payloadSchema');
    expect(['', '/payloadSchema takes too long to compile']).toContain(problems.join());
  }
  running.mockRestore();
});

describe('payload schemas', () => {
  it('are compiled again if many large ones are in use, because their code takes memory', () => {
    const service = new PayloadSchemasService();
    const compiled = jest.spyOn(vm, 'runInNewContext');
    const timesCompiled = (schema: Payload) => {
      compiled.mockClear();
      expect(service.validate(schema, hashJson(schema), {})).toEqual([]);
      return compiled.mock.calls.length;
    };
    const schemas = Array.from({ length: 100 }, (_, i) => ({ description: `${i}`.padEnd(60_000, '.') }));
    expect(schemas.map(timesCompiled)).toEqual(schemas.map(() => 1));
    expect(timesCompiled(schemas.at(-1) ?? {})).toBe(0);
    expect(timesCompiled(schemas[0] ?? {})).toBe(1);
    compiled.mockRestore();
  });

  const ORDER = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'https://example.com/order',
    type: 'object',
    required: ['orderId', 'amount'],
    additionalProperties: false,
    properties: {
      orderId: { type: 'string', minLength: 1, pattern: '^[A-Z]{2}-\\d+$' },
      amount: { type: 'number', minimum: 0 },
      placedAt: { type: 'string', format: 'date-time' },
      status: { enum: ['new', 'paid'] },
      items: { type: 'array', uniqueItems: true, items: { $ref: '#/$defs/item' } },
    },
    $defs: { item: { type: 'object', required: ['sku'], properties: { sku: { type: 'string' } } } },
  };

  it('accept what satisfies them, and name every path that does not', () => {
    const valid = { orderId: 'DE-1', amount: 1.5, placedAt: '2026-01-01T00:00:00Z', items: [{ sku: 'a' }] };
    expect(validate(ORDER, valid)).toEqual([]);
    const wrong = {
      orderId: 'x',
      placedAt: 'yesterday',
      status: 'gone',
      items: [{ sku: 'a' }, { sku: 1 }, {}],
      extra: 1,
    };
    expect(validate(ORDER, wrong).sort()).toEqual([
      'payload.amount is required',
      'payload.extra is not a known field',
      'payload.items[1].sku must be string',
      'payload.items[2].sku is required',
      'payload.orderId must match pattern "^[A-Z]{2}-\\d+$"',
      'payload.placedAt must match format "date-time"',
      'payload.status must be one of ["new","paid"]',
    ]);
  });

  it('look at own properties only', () => {
    const schema = { required: ['constructor', 'toString'], properties: { __proto__: { type: 'string' } } };
    expect(validate(schema, {})).toEqual(['payload.constructor is required', 'payload.toString is required']);
    expect(
      validate(schema, JSON.parse('{"constructor": 1, "toString": 2, "__proto__": 3}') as Payload),
    ).toEqual([]);
  });

  it('have decimal multiples, and numbers that are finite', () => {
    const price = { type: 'number', multipleOf: 0.01 };
    const schema = {
      properties: { a: price, b: price, c: { type: 'number' }, d: { type: ['integer', 'null'] } },
    };
    expect(validate(schema, { a: 19.99, b: 1e300, c: 1.5, d: null })).toEqual([]);
    expect(validate(schema, { a: 19.995, b: Infinity, c: Infinity, d: Infinity })).toEqual([
      'payload.a must be a multiple of 0.01',
      'payload.b must be number',
      'payload.c must be number',
      'payload.d must be integer,null',
    ]);
  });

  it('find duplicates whatever the order of their keys', () => {
    const schema = { properties: { list: { type: 'array', uniqueItems: true } } };
    expect(
      validate(schema, {
        list: [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
      }),
    ).toEqual(['payload.list must NOT have duplicate items']);
    expect(validate(schema, { list: [1, '1', null, [1], { a: 1 }] })).toEqual([]);
  });

  it('may be recursive over the payload', () => {
    const tree = { properties: { name: { type: 'string' }, children: { items: { $ref: '#' } } } };
    const payload = { name: 'a', children: [{ name: 'b', children: [{ name: 3 }] }] };
    expect(validate(tree, payload)).toEqual(['payload.children[0].children[0].name must be string']);
  });

  it.each([
    ['a string', 'x', ' must be a JSON Schema: an object or a boolean'],
    [
      'a wrong type',
      { properties: { a: { type: 'text' } } },
      '/properties/a/type must be equal to one of the allowed values',
    ],
    [
      'another draft',
      { $schema: 'http://json-schema.org/draft-07/schema#' },
      '/$schema must be https://json-schema.org/draft/2020-12/schema',
    ],
    ['a remote reference', { items: { $ref: 'https://example.com/x' } }, '/items/$ref must begin with "#/"'],
    [
      'a reference to nothing',
      { items: { $ref: '#/$defs/x' } },
      '/items/$ref must refer to a schema within this schema',
    ],
    [
      'a reference to what is no schema',
      { $ref: '#/enum', enum: [{}] },
      '/$ref must refer to a schema within this schema',
    ],
    ['a schema that is itself', { $ref: '#' }, ' refers to itself for the same value'],
    [
      'a circle',
      {
        $ref: '#/$defs/a',
        $defs: { a: { allOf: [{ $ref: '#/$defs/b' }] }, b: { not: { $ref: '#/$defs/a' } } },
      },
      ' refers to itself for the same value',
    ],
    ['a dynamic reference', { $dynamicRef: '#x' }, '/$dynamicRef is not supported'],
    ['an identifier inside', { items: { $id: 'x' } }, '/items/$id is not supported'],
    ['an asynchronous schema', { $async: true }, '/$async is not supported'],
    [
      'lookahead',
      { properties: { a: { pattern: '(?=a)b' } } },
      '/properties/a/pattern is not a pattern of the supported syntax',
    ],
    [
      'a huge repetition',
      { patternProperties: { '((a{1,100}){1,100}){1,100}': {} } },
      'is not a pattern of the supported syntax',
    ],
    ['too many bytes', { description: 'x'.repeat(65_536) }, ' must have at most 65536 bytes as JSON'],
    [
      'too many levels',
      nested(17, (inner) => ({ items: inner })),
      'must not be nested deeper than 16 schemas',
    ],
    [
      'levels without end',
      nested(10_000, (inner) => ({ x: inner })),
      ' must not be nested deeper than 16 schemas',
    ],
  ])('are refused: %s', (_, schema, problem) => {
    const problems = checkSchema(schema, '/events/0/payloadSchema');
    expect(problems.length).toBeGreaterThan(0);
    expect(problems[0]).toMatch(/^\/events\/0\/payloadSchema/);
    expect(problems.join('\n')).toContain(problem);
  });

  it('with exponentially many paths end within their budget', () => {
    const levels = Array.from({ length: 40 }, (_, i) => i);
    const doubled = (keyword: string) => ({
      $ref: '#/$defs/s0',
      $defs: Object.fromEntries([
        ...levels.map((i) => [
          `s${i}`,
          { [keyword]: [{ $ref: `#/$defs/s${i + 1}` }, { $ref: `#/$defs/s${i + 1}` }] },
        ]),
        ['s40', { required: ['never'] }],
      ]),
    });
    expect(validate(doubled('anyOf'), { a: 1 })).toEqual(TOO_LONG);
    expect(validate(doubled('oneOf'), { never: 1 })).toEqual(TOO_LONG);
    expect(validate(doubled('allOf'), { never: 1 })).toEqual(TOO_LONG);
    const twice = { allOf: [{ items: { $ref: '#/$defs/r' } }, { items: { $ref: '#/$defs/r' } }] };
    const deep = nested(30, (inner) => [inner]);
    expect(validate({ properties: { a: { $ref: '#/$defs/r' } }, $defs: { r: twice } }, { a: deep })).toEqual(
      TOO_LONG,
    );
  });

  it('have patterns in the syntax of JavaScript', () => {
    const pattern = '^(?<year>\\d{4})[\\u00e9\\-\\/]\\p{L}+$';
    const schema = { properties: { a: { pattern }, b: { pattern: '[]' } } };
    expect(validate(schema, { a: '2026é\u4e2d' })).toEqual([]);
    expect(validate(schema, { a: '2026/1', b: ']' })).toEqual([
      `payload.a must match pattern "${pattern}"`,
      'payload.b must match pattern "[]"',
    ]);
  });

  it('with patterns that backtrack elsewhere take linear time', () => {
    const schema = { properties: { a: { pattern: '^(a+)+$' }, b: { pattern: '^(a|aa)+$' } } };
    expect(validate(schema, { a: `${'a'.repeat(50_000)}!`, b: 'a'.repeat(50_001) })).toEqual([
      'payload.a must match pattern "^(a+)+$"',
    ]);
  });

  it('with references take time in proportion to what they refuse, and name each path', async () => {
    const schema = {
      properties: { lines: { items: { $ref: '#/$defs/line' } }, 'errors++': { const: { a: 1 } } },
      $defs: { line: { required: ['sku'], properties: { 'errors++': { enum: ['a', 'b'] } } } },
    };
    expect(
      validate(schema, {
        lines: [{}, { sku: 1, 'errors++': 2 }, { sku: 1, 'errors++': 'b' }],
        'errors++': 1,
      }),
    ).toEqual([
      'payload.lines[0].sku is required',
      'payload.lines[1].errors++ must be one of ["a","b"]',
      'payload.errors++ must be {"a":1}',
    ]);
    let problems: string[] = [];
    const lines = Array.from({ length: 80_000 }, () => ({}));
    expect(await cpuMsOf(() => (problems = validate(schema, { lines })))).toBeLessThan(2_500);
    expect(problems).toHaveLength(1_000);
    expect(problems.at(-1)).toBe('payload.lines[999].sku is required');
    const branches = { items: { anyOf: [{ items: { $ref: '#/$defs/line' } }, { minItems: 2 }] } };
    expect(validate({ ...schema, properties: { lines: branches } }, { lines: [[{}, {}]] })).toEqual([]);
  });

  it('that multiply with a payload end within their budget', () => {
    const branches = Array.from({ length: 1_000 }, () => ({ type: 'string' }));
    const list = Array.from({ length: 100_000 }, () => 1);
    expect(validate({ properties: { list: { items: { anyOf: branches } } } }, { list })).toEqual(TOO_LONG);
  });

  it.each([
    'email',
    'uri',
    'uri-reference',
    'uri-template',
    'hostname',
    'ipv6',
    'date-time',
    'duration',
    'regex',
    'byte',
    'json-pointer',
    'iso-date-time',
  ])('have formats that end: %s', (format) => {
    const schema = { properties: { a: { format }, b: { format }, c: { format } } };
    const payload = {
      a: 'a.'.repeat(100_000),
      b: `${'1:'.repeat(100_000)}!`,
      c: `a@${'a-'.repeat(100_000)}`,
    };
    expect(validate(schema, payload).length).toBeLessThan(4);
  });

  it('are compiled once for their hash', () => {
    const schemas = new PayloadSchemasService();
    const schema = { required: ['a'] };
    expect(schemas.validate(schema, hashJson(schema), {})).toEqual(['payload.a is required']);
    // The hash decides, so a stale schema cannot be used under a new hash.
    expect(schemas.validate({ required: ['b'] }, hashJson({ required: ['b'] }), {})).toEqual([
      'payload.b is required',
    ]);
    expect(hashJson({ a: 1, b: [2] })).toEqual(hashJson({ b: [2], a: 1 }));
    expect(hashJson({ a: [1, 2] })).not.toEqual(hashJson({ a: [2, 1] }));
  });
});

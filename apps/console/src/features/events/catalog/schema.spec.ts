import { describe, expect, it } from '@jest/globals';
import { createSample, findFieldType, listFields } from './schema.ts';

const order = {
  type: 'object',
  required: ['id', 'total'],
  properties: {
    id: { type: 'string', format: 'uuid', description: 'The order' },
    total: { type: 'integer', minimum: 5, maximum: 10 },
    status: { enum: ['paid', 'open'] },
    lines: { type: 'array', items: { type: 'object', properties: { price: { type: 'number' } } } },
  },
};

describe('listFields', () => {
  it('lists nested fields after their parent, with types and rules', () => {
    expect(listFields(order).map(({ path, type, required }) => [path, type, required])).toEqual([
      ['id', 'string · uuid', true],
      ['total', 'integer', true],
      ['status', 'any', false],
      ['lines', 'object[]', false],
      ['lines[].price', 'number', false],
    ]);
    expect(listFields(order).map(({ rules }) => rules)).toEqual([
      [],
      ['≥ 5', '≤ 10'],
      ['"paid" | "open"'],
      [],
      [],
    ]);
    expect(listFields(order)[0]?.description).toBe('The order');
  });

  it.each([true, false, {}, { properties: [] }, { properties: 7, items: null }])('accepts %p', (schema) => {
    expect(listFields(schema as never)).toEqual([]);
  });

  it('is bounded for deep, wide, and cyclic schemas', () => {
    const wide = { properties: Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`f${i}`, true])) };
    expect(listFields(wide)).toHaveLength(500);
    const cyclic: Record<string, unknown> = { type: 'object' };
    cyclic.properties = { self: cyclic };
    expect(listFields(cyclic)).toHaveLength(9);
    expect(JSON.stringify(createSample(cyclic)).length).toBeLessThan(200);
    expect(Object.keys(createSample(wide) as object)).toHaveLength(500);
  });
});

describe('createSample', () => {
  it('creates a payload of the declared types', () => {
    expect(createSample(order)).toEqual({
      id: '0198c5a4-6b7e-7c3d-9a1f-2b3c4d5e6f70',
      total: 5,
      status: 'paid',
      lines: [{ price: 1 }],
    });
  });

  it('leaves out what can be left out and has no suggested value', () => {
    const search = {
      type: 'object',
      required: ['city', 'filter'],
      properties: {
        city: { type: 'string' },
        filter: { type: 'object', properties: { open: { type: 'boolean' } } },
        page: { type: 'integer', default: 1 },
        sort: { type: 'string', examples: ['name'] },
        cursor: { type: 'string' },
      },
    };
    expect(createSample(search, { isMinimal: true })).toEqual({
      city: 'text',
      filter: {},
      page: 1,
      sort: 'name',
    });
    expect(createSample(search)).toHaveProperty('cursor');
  });

  it.each([
    [{ const: 3 }, 3],
    [{ default: null, type: 'string' }, null],
    [{ examples: ['x'] }, 'x'],
    [{ type: ['null', 'boolean'] }, true],
    [{ type: 'string', minLength: 6 }, 'textxx'],
    [{ type: 'string', maxLength: 2 }, 'te'],
    [{ oneOf: [{ type: 'number' }, { type: 'string' }] }, 1],
    [true, {}],
  ])('%j becomes %j', (schema, sample) => {
    expect(createSample(schema)).toEqual(sample);
  });
});

describe('findFieldType', () => {
  it('knows only own fields with one type', () => {
    expect(findFieldType(order, 'total')).toBe('integer');
    expect(findFieldType(order, 'status')).toBeNull();
    expect(findFieldType(order, 'constructor')).toBeNull();
    expect(findFieldType(undefined, 'total')).toBeNull();
  });

  it('follows a path, unless a field has the dots in its name', () => {
    const age = { type: 'integer' };
    const customer = { type: 'object', properties: { age } };
    expect(findFieldType({ properties: { customer } }, 'customer.age')).toBe('integer');
    expect(findFieldType({ properties: { customer } }, 'customer.name')).toBeNull();
    const dotted = { customer, 'customer.age': { type: 'string' } };
    expect(findFieldType({ properties: dotted }, 'customer.age')).toBe('string');
  });
});

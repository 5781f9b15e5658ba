import { exampleOf } from './schema-example.ts';

describe('an example of a schema', () => {
  it('prefers what the schema gives, and is otherwise of the type that it wants', () => {
    const properties = {
      id: { type: 'string', format: 'uuid' },
      state: { enum: ['open', 'closed'] },
      total: { type: ['null', 'number'], minimum: 5 },
      tags: { type: 'array', items: { type: 'string', example: 'new' } },
      owner: {
        allOf: [{ properties: { name: { default: 'Ann' } } }, { properties: { admin: { type: 'boolean' } } }],
      },
      other: { oneOf: [{ const: 7 }, { type: 'string' }] },
    };
    expect(exampleOf({ type: 'object', properties })).toEqual({
      id: '00000000-0000-4000-8000-000000000000',
      state: 'open',
      total: 5,
      tags: ['new'],
      owner: { name: 'Ann', admin: true },
      other: 7,
    });
    expect([exampleOf({}), exampleOf(true), exampleOf(null)]).toEqual([null, null, null]);
  });

  it('is bounded, however deep and wide the schema is', () => {
    const deep: Record<string, unknown> = {};
    deep.properties = { again: deep, more: deep, most: deep };
    const text = JSON.stringify(exampleOf(deep));
    expect(text.length).toBeLessThan(50_000);
    const wide = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`p${i}`, { type: 'string' }]));
    expect(Object.keys(exampleOf({ properties: wide }) as object).length).toBeLessThan(1_000);
  });
});

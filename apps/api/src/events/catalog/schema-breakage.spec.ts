import { findBreakage } from './schema-breakage.ts';

const schema = {
  type: 'object',
  properties: {
    amount: { type: 'integer' },
    state: { enum: ['open', 'paid'] },
    note: { type: ['string', 'null'] },
  },
};

describe('findBreakage', () => {
  it('says that the event is gone', () => {
    expect(findBreakage(null, undefined)).toBe('the new version does not declare the event');
  });

  it('accepts a subscription without a filter, and filters whose values the schema allows', () => {
    expect(findBreakage(null, schema)).toBeNull();
    expect(findBreakage({ amount: 5, state: ['open', 'gone'], note: null }, schema)).toBeNull();
  });

  it('names the field that the schema does not have', () => {
    expect(findBreakage({ total: 5 }, schema)).toBe(
      'the filter names "total", which the new schema does not have',
    );
    expect(findBreakage({ constructor: 5 }, schema)).toContain('"constructor"');
  });

  it.each([
    [{ amount: '5' }],
    [{ amount: 1.5 }],
    [{ state: 'gone' }],
    [{ state: ['gone', 'lost'] }],
    [{ note: 3 }],
  ])('reports values that the schema does not allow: %j', (filter) => {
    expect(findBreakage(filter, schema)).toContain('that the new schema does not allow');
  });

  it('does not judge schemas that are open', () => {
    expect(findBreakage({ total: 5 }, true)).toBeNull();
    expect(findBreakage({ total: 5 }, { type: 'object' })).toBeNull();
    expect(findBreakage({ total: 5 }, { ...schema, anyOf: [{ required: ['total'] }] })).toBeNull();
  });
});

import type { EventFilter } from '@platform/contracts';
import { keyOfFilter, keysOfPayload } from './wait-key.ts';

describe('the key of a wait', () => {
  const fieldOf = (filter: EventFilter, defined?: EventFilter) => keyOfFilter(filter, defined).field;

  it('is the first condition that comes from a template, else the first of a single value', () => {
    expect(fieldOf({ a: 1, n: 7 }, { a: 1, n: '{{inputs.n}}' })).toBe('n');
    expect(fieldOf({ any: [1, 2], more: { $gte: 1 }, a: null, n: 7 })).toBe('a');
    expect(keyOfFilter({ any: [1, 2] })).toEqual({ field: '', value: '' });
    expect(keyOfFilter(null)).toEqual({ field: '', value: '' });
  });

  it.each(['', 'a'.repeat(201), 'a\0b', 'a\ud800b'])('is no name that the index cannot have: %j', (name) => {
    expect(fieldOf({ [name]: 1, n: 7 })).toBe('n');
    expect([keyOfFilter({ [name]: 1 })]).toEqual(keysOfPayload([''], { [name]: 1 }));
  });

  it('is found by the value that the payload has there', () => {
    expect([keyOfFilter({ 'customer.name': 'Zoë' })]).toEqual(
      keysOfPayload(['customer.name'], { customer: { name: 'Zoë' } }),
    );
  });
});

import { describe, expect, it } from '@jest/globals';
import { addCondition, parseRowFilter, parseValue } from './row-filter.ts';

describe('row filters', () => {
  it('read a text as a value of the column', () => {
    expect(parseValue('integer', ' 12 ')).toBe(12);
    expect(parseValue('number', '')).toBeNull();
    expect(parseValue('number', '1e400')).toBeNull();
    expect(parseValue('integer', '9007199254740993')).toBeNull();
    expect(parseValue('boolean', 'true')).toBe(true);
    expect(parseValue('boolean', '')).toBeNull();
    expect(parseValue('datetime', '2026-01-02T03:04Z')).toBe('2026-01-02T03:04:00.000Z');
    expect(parseValue('datetime', 'soon')).toBeNull();
    expect(parseValue('string', '12')).toBe('12');
  });

  it('combine comparisons of a column, which a value replaces', () => {
    const from = addCondition({ status: 'paid' }, 'total', 'atLeast', 10);
    const both = addCondition(from, 'total', 'atMost', 20);
    expect(both).toEqual({ status: 'paid', total: { $gte: 10, $lte: 20 } });
    expect(addCondition(both, 'total', 'is', 15)).toEqual({ status: 'paid', total: 15 });
    expect(addCondition({ total: 15 }, 'total', 'atLeast', 10)).toEqual({ total: { $gte: 10 } });
  });

  it('come from a URL, where anything can stand', () => {
    expect(parseRowFilter('{"total":{"$gte":10}}')).toEqual({ total: { $gte: 10 } });
    for (const text of [undefined, '', '[1]', 'null', '{']) expect(parseRowFilter(text)).toEqual({});
  });
});

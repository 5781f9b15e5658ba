import { describe, expect, it } from '@jest/globals';
import type { UsageGroup } from '@platform/contracts';
import { arrangeGroups, daysBetween, NO_USAGE } from './summary.ts';

const at = (text: string) => new Date(text);
const group = (key: string | null, tokens: number): UsageGroup => ({ key, ...NO_USAGE, tokens });

describe('daysBetween', () => {
  it.each([
    ['2026-01-30T12:00:00Z', '2026-01-31T12:00:00Z', ['2026-01-30', '2026-01-31']],
    ['2026-02-28T23:59:59.999Z', '2026-03-01T00:00:00Z', ['2026-02-28', '2026-03-01']],
    ['2026-01-31T00:00:00Z', '2026-01-31T23:59:59Z', ['2026-01-31']],
  ])('from %s to %s', (from, to, days) => expect(daysBetween(at(from), at(to))).toEqual(days));

  it('has 31 days in a window of thirty that begins at noon', () => {
    expect(daysBetween(at('2026-01-01T12:00:00Z'), at('2026-01-31T12:00:00Z'))).toHaveLength(31);
  });
});

describe('arrangeGroups', () => {
  const from = at('2026-01-29T12:00:00Z');
  const to = at('2026-01-31T12:00:00Z');

  it('fills days without usage', () => {
    const groups = [group('2026-01-31', 5), group('2026-01-29', 7)];
    expect(arrangeGroups(groups, 'day', from, to)).toEqual([
      group('2026-01-29', 7),
      group('2026-01-30', 0),
      group('2026-01-31', 5),
    ]);
  });

  it('sorts by tokens, descending, and keeps groups without a key', () => {
    const groups = [group('a', 1), group(null, 3), group('b', 2)];
    expect(arrangeGroups(groups, 'agent', from, to).map(({ key }) => key)).toEqual([null, 'b', 'a']);
  });

  it('keeps the 200 with the most tokens', () => {
    const groups = Array.from({ length: 201 }, (_, i) => group(`m${i}`, i));
    const kept = arrangeGroups(groups, 'model', from, to);
    expect([kept.length, kept[0]?.key, kept.at(-1)?.key]).toEqual([200, 'm200', 'm1']);
  });
});

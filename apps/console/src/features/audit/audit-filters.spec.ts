import { describe, expect, it } from '@jest/globals';
import { findRange, parseAuditFilters } from './use-audit-filters.ts';

const parse = (search: string) => parseAuditFilters(new URLSearchParams(search));
const NOW = Date.parse('2026-11-22T12:00:00Z');

describe('the filters of the audit log', () => {
  it('are read from the URL', () => {
    expect(parse('actor=a&action=member.add&time=7d')).toEqual({
      actor: 'a',
      action: 'member.add',
      time: '7d',
    });
    expect(parse('time=days&from=2026-11-01&to=2026-11-02')).toEqual({
      time: 'days',
      from: '2026-11-01',
      to: '2026-11-02',
    });
  });

  it('ignore what does not exist, and days without a choice of days', () => {
    expect(parse('actor=&action=member.eat&time=1y&from=2026-11-01')).toEqual({});
    expect(parse('time=days&from=2026-13-01&to=tomorrow')).toEqual({ time: 'days' });
  });

  it('cover whole days in the time zone of the browser', () => {
    const { from, to } = findRange({ time: 'days', from: '2026-11-01', to: '2026-11-01' }, NOW);
    expect(new Date(from ?? '').getHours()).toBe(0);
    expect(Date.parse(to ?? '') - Date.parse(from ?? '')).toBe(86_400_000 - 1);
    expect(findRange({ time: 'days' }, NOW)).toEqual({});
  });

  it('end a period now', () => {
    expect(findRange({ time: '24h' }, NOW)).toEqual({ from: '2026-11-21T12:00:00.000Z' });
    expect(findRange({}, NOW)).toEqual({});
  });
});

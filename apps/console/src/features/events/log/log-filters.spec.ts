import { describe, expect, it } from '@jest/globals';
import { findPeriodStart } from '../../../ui/format/periods.ts';
import { fromLocalInput, toLocalInput } from '../replay/local-time.ts';
import { parseLogFilters } from './use-log-filters.ts';

const parse = (search: string) => parseLogFilters(new URLSearchParams(search));

describe('the filters of the log in a URL', () => {
  it('are read as they were written', () => {
    expect(
      parse('status=FAILED&outcome=WAITING&text=Ada&applicationIdentifier=shop&event=order.paid&since=7d'),
    ).toEqual({
      status: 'FAILED',
      outcome: 'WAITING',
      text: 'Ada',
      applicationIdentifier: 'shop',
      event: 'order.paid',
      since: '7d',
    });
    expect(parse('from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00%2B01:00')).toEqual({
      from: '2026-01-01T00:00:00.000Z',
      to: '2026-01-01T23:00:00.000Z',
    });
  });

  it.each([
    '',
    'status=nothing',
    'since=1y',
    'outcome=failed&text=&idempotencyKey=',
    'from=yesterday&to=',
    'event=&applicationIdentifier=',
  ])('are absent if they are not valid: %j', (search) => {
    expect(parse(search)).toEqual({});
  });

  it('prefer a period to a range', () => {
    expect(parse('since=1h&from=2026-01-01T00:00:00Z')).toEqual({ since: '1h' });
  });
});

describe('times', () => {
  it('of the fields are those of the browser, to the minute', () => {
    const iso = new Date(2026, 0, 31, 9, 5).toISOString();
    expect(toLocalInput(iso)).toBe('2026-01-31T09:05');
    expect(fromLocalInput('2026-01-31T09:05')).toBe(iso);
    expect([toLocalInput(undefined), fromLocalInput(''), fromLocalInput('soon')]).toEqual([
      '',
      undefined,
      undefined,
    ]);
  });

  it('of a period end now', () => {
    expect(findPeriodStart('24h', Date.parse('2026-01-02T00:00:00Z'))).toBe('2026-01-01T00:00:00.000Z');
  });
});

import fc from 'fast-check';
import { cronProblem, findDue, listDueTimes, MAX_MISSED, nextDueTime, timezoneProblem } from './schedule.ts';

const berlin = (cron: string) => ({ cron, timezone: 'Europe/Berlin' });
const at = (time: string) => new Date(time);
const iso = (times: Date[]) => times.map((time) => time.toISOString().replace(':00.000Z', 'Z'));

describe('cron patterns', () => {
  const now = at('2026-11-21T12:00:00Z');

  it.each([
    '* * * * *',
    '*/5 8-17 * * MON-FRI',
    '0 0 1,15 JAN-JUN *',
    '30 2 L * *',
    '0 0 29 2 *',
    ' 0 0 * * 7 ',
  ])('%s is one', (cron) => expect(cronProblem(cron, now)).toBeNull());

  it.each<[unknown, RegExp]>([
    ['* * * * * *', /five fields/],
    ['* * * *', /five fields/],
    ['@hourly', /five fields/],
    ['? * * * *', /five fields/],
    ['', /five fields/],
    [5, /five fields/],
    [`${'1,'.repeat(60)}1 * * * *`, /five fields/],
    ['60 * * * *', /valid minutes/],
    ['* 24 * * *', /valid minutes/],
    ['* * 32 * *', /valid minutes/],
    ['* * * 13 *', /valid minutes/],
    ['*/0 * * * *', /valid minutes/],
    ['5-1 * * * *', /valid minutes/],
    ['a * * * *', /valid minutes/],
    ['0 0 30 2 *', /no such day/],
    ['0 0 31 4,6,9,11 *', /no such day/],
  ])('%s is none', (cron, problem) => expect(cronProblem(cron, now)).toMatch(problem));

  it('are due at some time or have a problem, whatever they are', () => {
    const field = fc.string({ unit: fc.constantFrom(...'0123456789*/,-#LW'), minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(fc.tuple(field, field, field, field, field), (fields) => {
        const cron = fields.join(' ');
        if (cronProblem(cron, now) === null) {
          expect(nextDueTime({ cron, timezone: 'UTC' }, now)?.getTime()).toBeGreaterThan(now.getTime());
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('time zones', () => {
  it.each(['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires'])('%s is one', (name) =>
    expect(timezoneProblem(name)).toBeNull(),
  );
  it.each(['', 'Mars/Base', '+02:00', 'GMT+25', 7, null])('%s is none', (name) =>
    expect(timezoneProblem(name)).toMatch(/IANA name/),
  );
});

describe('due times', () => {
  it('follow the clock of the time zone', () => {
    expect(iso(listDueTimes(berlin('0 9 * * *'), at('2026-03-27T12:00:00Z'), 3))).toEqual([
      '2026-03-28T08:00Z',
      '2026-03-29T07:00Z',
      '2026-03-30T07:00Z',
    ]);
  });

  it('that the clock skips are due right after the change', () => {
    expect(iso(listDueTimes(berlin('30 2 * * *'), at('2026-03-28T00:00:00Z'), 3))).toEqual([
      '2026-03-28T01:30Z',
      '2026-03-29T01:00Z',
      '2026-03-30T00:30Z',
    ]);
  });

  it('that occur twice are due once, if they name an hour', () => {
    expect(iso(listDueTimes(berlin('30 2 * * *'), at('2026-10-24T12:00:00Z'), 2))).toEqual([
      '2026-10-25T00:30Z',
      '2026-10-26T01:30Z',
    ]);
  });

  it('of an interval go on through both changes', () => {
    const quarter = berlin('*/30 * * * *');
    expect(iso(listDueTimes(quarter, at('2026-10-25T00:00:00Z'), 4))).toEqual([
      '2026-10-25T00:30Z',
      '2026-10-25T01:00Z',
      '2026-10-25T01:30Z',
      '2026-10-25T02:00Z',
    ]);
    expect(iso(listDueTimes(quarter, at('2026-03-29T00:00:00Z'), 3))).toEqual([
      '2026-03-29T00:30Z',
      '2026-03-29T01:00Z',
      '2026-03-29T01:30Z',
    ]);
  });

  it('end with the last one', () => {
    expect(nextDueTime(berlin('0 0 29 2 *'), at('2026-11-21T00:00:00Z'))).toEqual(at('2028-02-28T23:00:00Z'));
  });
});

describe('what is due', () => {
  const hourly = berlin('0 * * * *');

  it('is one run at its time', () => {
    const due = findDue(hourly, at('2026-11-21T12:00:00Z'), at('2026-11-21T12:00:00.400Z'));
    expect(due).toEqual({
      dueAt: at('2026-11-21T12:00:00Z'),
      missed: 0,
      next: at('2026-11-21T13:00:00Z'),
    });
  });

  it('is one run in total after downtime, which knows how many times it stands for', () => {
    const due = findDue(hourly, at('2026-11-21T02:00:00Z'), at('2026-11-21T12:00:00Z'));
    expect(due).toEqual({
      dueAt: at('2026-11-21T12:00:00Z'),
      missed: 10,
      next: at('2026-11-21T13:00:00Z'),
    });
  });

  it('counts over the change of the clock', () => {
    const due = findDue(hourly, at('2026-10-24T22:00:00Z'), at('2026-10-25T04:30:00Z'));
    expect(due).toMatchObject({ dueAt: at('2026-10-25T04:00:00Z'), missed: 6 });
  });

  it('is counted up to a limit after a long downtime', () => {
    const minutely = berlin('* * * * *');
    const due = findDue(minutely, at('2026-01-01T00:00:00Z'), at('2026-11-21T12:00:30Z'));
    expect(due).toEqual({
      dueAt: at('2026-11-21T12:00:00Z'),
      missed: MAX_MISSED,
      next: at('2026-11-21T12:01:00Z'),
    });
  });

  it('is never after now, and the next time never before', () => {
    const minute = fc.integer({ min: 0, max: 525_600 });
    const crons = ['*/7 * * * *', '0 */5 * * *', '15 3 * * *', '0 0 1 * *'].map(berlin);
    fc.assert(
      fc.property(fc.constantFrom(...crons), minute, minute, (schedule, from, later) => {
        const first = nextDueTime(schedule, new Date(Date.UTC(2026, 0, 1, 0, from)));
        if (first === null) return;
        const now = new Date(first.getTime() + later * 1_000);
        const { dueAt, next } = findDue(schedule, first, now);
        expect(dueAt.getTime()).toBeLessThanOrEqual(now.getTime());
        expect(dueAt.getTime()).toBeGreaterThanOrEqual(first.getTime());
        expect(next?.getTime()).toBeGreaterThan(now.getTime());
        expect(nextDueTime(schedule, dueAt)).toEqual(next);
      }),
      { numRuns: 50 },
    );
  });
});

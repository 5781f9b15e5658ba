import { endOfQuiet, quietHoursProblems } from './quiet-hours.ts';

const berlin = (from: string, to: string) => ({ from, to, timezone: 'Europe/Berlin' });
const end = (quiet: Parameters<typeof endOfQuiet>[0], at: string) =>
  endOfQuiet(quiet, new Date(at)).toISOString();

describe('endOfQuiet', () => {
  const night = berlin('22:00', '07:00');

  it('waits for the morning, also past midnight', () => {
    expect(end(night, '2026-01-15T20:59:59.999Z')).toBe('2026-01-15T20:59:59.999Z');
    expect(end(night, '2026-01-15T21:00:00.000Z')).toBe('2026-01-16T06:00:00.000Z');
    expect(end(night, '2026-01-16T02:00:00.000Z')).toBe('2026-01-16T06:00:00.000Z');
    expect(end(night, '2026-01-16T06:00:00.000Z')).toBe('2026-01-16T06:00:00.000Z');
  });

  it('follows the clock of the zone when it changes', () => {
    expect(end(night, '2026-03-28T22:00:00.000Z')).toBe('2026-03-29T05:00:00.000Z');
    expect(end(night, '2026-10-24T22:00:00.000Z')).toBe('2026-10-25T06:00:00.000Z');
    // At 02:00, the clock is set to 03:00.
    expect(end(berlin('01:00', '02:30'), '2026-03-29T00:30:00.000Z')).toBe('2026-03-29T01:00:00.000Z');
  });

  it('ends on the same day if the clock passes its end twice', () => {
    const quiet = berlin('22:00', '02:30');
    // At 03:00, the clock is set to 02:00.
    expect(end(quiet, '2026-10-25T00:10:00.000Z')).toBe('2026-10-25T00:30:00.000Z');
    expect(end(quiet, '2026-10-25T00:40:00.000Z')).toBe('2026-10-25T00:40:00.000Z');
    expect(end(quiet, '2026-10-25T01:10:30.000Z')).toBe('2026-10-25T01:30:00.000Z');
  });

  it('may lie within a day, or be absent', () => {
    const noon = { from: '12:00', to: '13:00', timezone: 'Asia/Shanghai' };
    expect(end(noon, '2026-01-15T04:30:00.000Z')).toBe('2026-01-15T05:00:00.000Z');
    expect(end(noon, '2026-01-15T05:00:00.000Z')).toBe('2026-01-15T05:00:00.000Z');
    expect(end(null, '2026-01-15T04:30:00.000Z')).toBe('2026-01-15T04:30:00.000Z');
  });
});

describe('quietHoursProblems', () => {
  it('accepts times of the day in a zone', () => {
    expect(quietHoursProblems(berlin('22:00', '07:00'))).toEqual([]);
  });

  it('names everything that is wrong', () => {
    const problems = quietHoursProblems({ from: '24:00', to: '7:00', timezone: '+02:00' });
    expect(problems).toHaveLength(3);
    expect(problems.join()).toMatch(/from.*to.*timezone/);
    expect(quietHoursProblems(berlin('07:00', '07:00'))).toEqual([
      'quietHours.to must differ from quietHours.from',
    ]);
  });
});

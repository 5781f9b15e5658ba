import { timezoneProblem } from '../../tasks/definition/schedule.ts';

/** When nothing is sent, each day from one time to another, which may be on the next day. */
export interface QuietHours {
  /** `HH:MM` */
  from: string;
  to: string;
  /** An IANA name. */
  timezone: string;
}

const MINUTE_MS = 60_000;
const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d$/;

/** Returns what is wrong with quiet hours. */
export function quietHoursProblems({ from, to, timezone }: QuietHours): string[] {
  const problem = timezoneProblem(timezone);
  return [
    ...(TIME.test(from) ? [] : ['quietHours.from must be a time of the day, such as 22:00']),
    ...(TIME.test(to) ? [] : ['quietHours.to must be a time of the day, such as 07:00']),
    ...(from === to ? ['quietHours.to must differ from quietHours.from'] : []),
    ...(problem === null ? [] : [`quietHours.timezone ${problem}`]),
  ];
}

/** Returns the first time from `at` on that is not within the quiet hours. */
export function endOfQuiet(quiet: QuietHours | null, at: Date): Date {
  if (quiet === null) return at;
  const { from, to, timezone } = quiet;
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: timezone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  const isQuiet = (date: Date) => {
    const time = format.format(date);
    return from < to ? from <= time && time < to : from <= time || time < to;
  };
  // Minute by minute: where clocks change, `to` may come twice, or not at all.
  let end = at;
  while (isQuiet(end)) end = new Date(Math.floor(end.getTime() / MINUTE_MS + 1) * MINUTE_MS);
  return end;
}

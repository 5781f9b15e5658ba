const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;

/** Formats the times of an axis from its length: with the day unless all of it is today. */
export function formatTimes(
  from: number,
  to: number,
  language: string,
  now = Date.now(),
): (ms: number) => string {
  const isToday = [from, to].every((ms) => new Date(ms).toDateString() === new Date(now).toDateString());
  const format = new Intl.DateTimeFormat(language, {
    ...(!isToday && { month: 'short', day: 'numeric' }),
    ...(to - from <= 5 * DAY_MS && { hour: 'numeric', minute: '2-digit' }),
    ...(isToday && to - from < 5 * MINUTE_MS && { second: '2-digit' }),
  });
  return (ms) => format.format(new Date(ms));
}

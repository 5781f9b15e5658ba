const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** Formats an ISO time as "3 hours ago", or as "now" if it is less than a minute ago. */
export function formatRelativeTime(iso: string, now: number, language: string): string {
  const seconds = (Date.parse(iso) - now) / 1000;
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' });
  const step = STEPS.find(([, size]) => Math.abs(seconds) >= size);
  return step === undefined
    ? format.format(0, 'second')
    : format.format(Math.round(seconds / step[1]), step[0]);
}

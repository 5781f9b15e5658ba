type Parts = Intl.DateTimeFormatOptions;

const DAY: Parts = { month: 'short', day: 'numeric' };
const TIME: Parts = { hour: 'numeric', minute: '2-digit', second: '2-digit' };

/**
 * Formats an ISO time as "Nov 30 1:00:32 PM", and with its year if that is not the current one. A line can break only between
 * day and time.
 */
export function formatAbsoluteTime(iso: string, now: number, language: string): string {
  const date = new Date(iso);
  const isThisYear = date.getFullYear() === new Date(now).getFullYear();
  return [isThisYear ? DAY : { ...DAY, year: 'numeric' as const }, TIME]
    .map((parts) => new Intl.DateTimeFormat(language, parts).format(date).replaceAll(' ', '\u00a0'))
    .join(' ');
}

import type { Legend } from './chart.tsx';
import type { Dot } from './dot-plot.tsx';
import { formatTimes } from './times.ts';

/** More could not be told apart, and would be slow. */
export const MAX_DOTS = 300;

/** The labels below a plot: its first and its last point. */
export function timesOf(dots: readonly Dot[], language: string): string[] {
  const ends = [dots[0]?.at ?? 0, dots.at(-1)?.at ?? 0] as const;
  const format = formatTimes(ends[0], ends[1], language);
  return [...new Set(ends)].map(format);
}

/** Returns what tells what a point is, for its tip: with the time. To make a format takes longer than to use it. */
export function createDetails(language: string): (parts: readonly string[], at: string) => string {
  const format = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });
  return (parts, at) => [...parts, format.format(new Date(at))].join(' · ');
}

/** What a plot shows, as a text: how many points there are of each color. */
export function describeDots(
  caption: string,
  dots: readonly Dot[],
  legend: readonly Legend[],
  language: string,
): string {
  const counts = legend.map(
    ({ tone, label }) =>
      `${label} ${dots.filter((dot) => dot.tone === tone).length.toLocaleString(language)}`,
  );
  return [caption, timesOf(dots, language).join(' – '), ...counts].join(' · ');
}

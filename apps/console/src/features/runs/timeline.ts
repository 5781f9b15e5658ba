import type { RunStep } from '@platform/contracts';

export interface TimelineBar {
  /** Percent of the whole time. */
  start: number;
  width: number;
}

/** Bars narrower than this could not be seen. */
const MIN_WIDTH = 0.8;

/** Returns where each step lies between the start of the first step and the end of the last one. */
export function layOutSteps(
  steps: readonly RunStep[],
  now: number,
): { bars: TimelineBar[]; totalMs: number } {
  const times = steps.map(({ startedAt, durationMs }) => {
    const start = Date.parse(startedAt);
    return { start, end: durationMs === null ? Math.max(start, now) : start + durationMs };
  });
  const begin = Math.min(...times.map(({ start }) => start));
  const totalMs = times.length === 0 ? 0 : Math.max(...times.map(({ end }) => end)) - begin;
  const scale = totalMs === 0 ? 0 : 100 / totalMs;
  return {
    totalMs,
    bars: times.map(({ start, end }) => {
      const width = Math.max(MIN_WIDTH, (end - start) * scale);
      return { width: Math.min(100, width), start: Math.min((start - begin) * scale, 100 - MIN_WIDTH) };
    }),
  };
}

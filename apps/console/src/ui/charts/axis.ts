/** Returns a round number for the top of an axis: 1, 2, 4, 6, 8, 10, 20, …, never less than the value. */
export function chooseMaximum(value: number): number {
  if (value <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 4, 6, 8, 10].find((factor) => factor * power >= value) ?? 10;
  return step * power;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** Where an axis of durations can begin, end, and have a label, in ms. */
export const DURATION_STEPS = [
  1,
  10,
  100,
  SECOND,
  10 * SECOND,
  MINUTE,
  10 * MINUTE,
  HOUR,
  10 * HOUR,
  100 * HOUR,
  1_000 * HOUR,
];
/** The same of costs in dollars. */
export const COST_STEPS = Array.from({ length: 13 }, (_, i) => Number(`1e${i - 8}`));

export interface LogAxis {
  /** From the bottom to the top. */
  labels: number[];
  /** The part of the height at a value, from 0 to 1; 0 for a value below the axis. */
  heightOf: (value: number) => number;
}

/** A logarithmic axis that contains all values above 0, from one of the steps to another one. */
export function createLogAxis(values: readonly number[], steps: readonly number[]): LogAxis {
  const shown = values.filter((value) => value > 0);
  const [least, most] = [Math.min(...shown), Math.max(...shown)];
  // An axis without values ends at the first two steps.
  const below = shown.length === 0 ? 0 : steps.findLastIndex((step) => step <= least);
  const above = shown.length === 0 ? 1 : steps.findIndex((step) => step >= most);
  const first = Math.min(Math.max(0, below), steps.length - 2);
  const last = above === -1 ? steps.length - 1 : Math.max(above, first + 1);
  const labels = steps.slice(first, last + 1);
  const [bottom = 1] = labels;
  const range = Math.log((labels.at(-1) ?? 1) / bottom);
  const heightOf = (value: number) =>
    value <= 0 ? 0 : Math.min(1, Math.max(0, Math.log(value / bottom) / range));
  return { labels: thin(labels), heightOf };
}

/** At most four, with both ends. */
function thin(labels: readonly number[]): number[] {
  const every = Math.ceil((labels.length - 1) / 3);
  return labels.filter(
    (_, i) => i === labels.length - 1 || (i % every === 0 && labels.length - 1 - i >= every),
  );
}

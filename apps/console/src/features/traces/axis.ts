import type { TraceSpan } from '@platform/contracts';

/** A part of the time of a turn in which only a person or the queue was waited for is drawn this long at most. */
const MAX_WAIT_SHARE = 0.35;
/** Bars narrower than this could not be seen. */
const MIN_WIDTH = 0.6;

interface Interval {
  start: number;
  end: number;
}

export interface Axis {
  /** Milliseconds from the first start to the last end. */
  totalMs: number;
  /** Whether long waits are drawn shorter than they were. */
  isShortened: boolean;
  /** Percent of the width at a time in milliseconds since 1970. */
  positionOf: (time: number) => number;
}

export interface Bar {
  /** Percent of the width. */
  left: number;
  width: number;
}

const endOf = (span: TraceSpan, now: number): number =>
  span.durationMs === null
    ? Math.max(now, Date.parse(span.startedAt))
    : Date.parse(span.startedAt) + span.durationMs;

/** Returns the time axis of a waterfall. Waiting for an answer can take days and must not flatten everything else. */
export function createAxis(spans: readonly TraceSpan[], now: number): Axis {
  const intervals = spans.map((span) => ({
    start: Date.parse(span.startedAt),
    end: endOf(span, now),
    isWait: span.kind === 'question' || span.kind === 'queue',
  }));
  const begin = Math.min(...intervals.map(({ start }) => start));
  const end = Math.max(...intervals.map((one) => one.end));
  if (spans.length === 0 || end === begin) return { totalMs: 0, isShortened: false, positionOf: () => 0 };
  const work = merge(intervals.filter(({ isWait }) => !isWait));
  const workMs = work.reduce((sum, one) => sum + one.end - one.start, 0);
  const mostMs = workMs * MAX_WAIT_SHARE;
  const gaps = gapsOf(work, begin, end);
  const scaleOf = (gap: Interval) =>
    workMs > 0 && gap.end - gap.start > mostMs ? mostMs / (gap.end - gap.start) : 1;
  const drawn = (time: number): number => {
    let length = time - begin;
    for (const gap of gaps) {
      const passed = Math.min(time, gap.end) - gap.start;
      if (passed > 0) length -= passed * (1 - scaleOf(gap));
    }
    return length;
  };
  const totalDrawn = drawn(end);
  return {
    totalMs: end - begin,
    isShortened: gaps.some((gap) => scaleOf(gap) < 1),
    positionOf: (time) => (100 * drawn(Math.min(Math.max(time, begin), end))) / totalDrawn,
  };
}

export function layOut(span: TraceSpan, axis: Axis, now: number): Bar {
  const left = Math.min(axis.positionOf(Date.parse(span.startedAt)), 100 - MIN_WIDTH);
  const width = Math.max(MIN_WIDTH, axis.positionOf(endOf(span, now)) - left);
  return { left, width: Math.min(width, 100 - left) };
}

/** Percent of the bar of a model call before its first output; null if it is unknown. */
export function waitShare({ firstTokenMs, durationMs }: TraceSpan): number | null {
  if (firstTokenMs === undefined || durationMs === null || durationMs === 0) return null;
  return Math.min(100, (100 * firstTokenMs) / durationMs);
}

/** Joins intervals that overlap, in their order. */
function merge(intervals: Interval[]): Interval[] {
  const merged: Interval[] = [];
  for (const one of [...intervals].sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last !== undefined && one.start <= last.end) last.end = Math.max(last.end, one.end);
    else merged.push({ ...one });
  }
  return merged;
}

function gapsOf(work: Interval[], begin: number, end: number): Interval[] {
  const gaps: Interval[] = [];
  let from = begin;
  for (const { start, end: to } of work) {
    if (start > from) gaps.push({ start: from, end: start });
    from = to;
  }
  if (end > from) gaps.push({ start: from, end });
  return gaps;
}

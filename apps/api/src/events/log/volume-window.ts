/** More bars than this are too thin to be told apart. */
const MAX_BUCKETS = 120;
export const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 86_400;
/** Below an hour, counts per minute are read, of which there are few in such a time. */
const WIDTHS = [60, 300, 900, HOUR_SECONDS, 10_800, 21_600, 43_200, DAY_SECONDS];

export interface VolumeWindow {
  /** Of the first bucket, in ms. */
  from: number;
  /** The end of the last one. */
  to: number;
  bucketSeconds: number;
}

/**
 * The narrowest buckets, whole and aligned in UTC, of which 120 contain a time in ms; hours if it begins before `minutesFrom`.
 * Null if the time is empty.
 */
export function chooseBuckets(from: number, to: number, minutesFrom: number): VolumeWindow | null {
  if (from >= to) return null;
  const widths = WIDTHS.filter((seconds) => seconds >= HOUR_SECONDS || from >= minutesFrom);
  const found = widths.map((seconds) => align(from, to, seconds)).find(isShort);
  if (found !== undefined) return found;
  // One bucket less, because neither end need be at the edge of one.
  const days = Math.ceil((to - from) / 1_000 / DAY_SECONDS / (MAX_BUCKETS - 1));
  return align(from, to, days * DAY_SECONDS);
}

/** The starts of the buckets in ms. */
export function startsOf({ from, to, bucketSeconds }: VolumeWindow): number[] {
  const width = bucketSeconds * 1_000;
  return Array.from({ length: (to - from) / width }, (_, i) => from + i * width);
}

function align(from: number, to: number, bucketSeconds: number): VolumeWindow {
  const width = bucketSeconds * 1_000;
  return { from: Math.floor(from / width) * width, to: Math.ceil(to / width) * width, bucketSeconds };
}

const isShort = ({ from, to, bucketSeconds }: VolumeWindow): boolean =>
  (to - from) / 1_000 / bucketSeconds <= MAX_BUCKETS;

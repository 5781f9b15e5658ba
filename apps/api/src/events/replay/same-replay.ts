import { isDeepStrictEqual } from 'node:util';
import type { ReplayQuery } from '@platform/contracts';

/** Whether two bulk replays would replay the same envelopes: the same filter, and times that overlap. */
export function isSameReplay(a: ReplayQuery, b: ReplayQuery): boolean {
  const { from, to, ...filter } = a;
  const { from: otherFrom, to: otherTo, ...otherFilter } = b;
  const overlaps = new Date(from) < new Date(otherTo) && new Date(otherFrom) < new Date(to);
  return overlaps && isDeepStrictEqual(filter, otherFilter);
}

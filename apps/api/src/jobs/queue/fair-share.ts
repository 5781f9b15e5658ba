import type { FairPlaces } from '../../infra/runtime/fair-places.ts';

/** A user with waiting jobs. */
export interface Contender {
  userId: string;
  /** The oldest waiting job; ids sort by time. */
  oldest: string;
  /** Turns that run, or are about to, in all processes. */
  running: number;
  /** When this process last started one of their jobs, as an increasing number; 0 if not recently. */
  served: number;
}

/** Selects the users whose oldest job starts next, one each: fewest running turns first, then least recently served. */
export function selectUsers(waiting: readonly Contender[], places: FairPlaces, cap: number): string[] {
  const inOrder = waiting
    .filter(({ running }) => running < cap)
    .sort((a, b) => a.running - b.running || a.served - b.served || (a.oldest < b.oldest ? -1 : 1));
  const next: string[] = [];
  for (const { userId } of inOrder) if (places.canAcquire(userId, next.length)) next.push(userId);
  return next;
}

/**
 * Places that several owners share. An owner can acquire one if it has fewer than are free: a single owner can fill half of
 * the places, two can fill a third each, and a new owner always gets one before owners with many.
 */
export class FairPlaces {
  private readonly counts = new Map<string, number>();
  private taken = 0;

  constructor(private readonly size: number) {}

  get free(): number {
    return this.size - this.taken;
  }

  countOf(owner: string): number {
    return this.counts.get(owner) ?? 0;
  }

  /** Whether the owner can acquire a place, if `promised` others are about to be acquired. */
  canAcquire(owner: string, promised = 0): boolean {
    const free = this.free - promised;
    return free > 0 && this.countOf(owner) < free;
  }

  acquire(owner: string): void {
    this.taken += 1;
    this.counts.set(owner, this.countOf(owner) + 1);
  }

  release(owner: string): void {
    const remaining = this.countOf(owner) - 1;
    this.taken -= 1;
    if (remaining > 0) this.counts.set(owner, remaining);
    else this.counts.delete(owner);
  }
}

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

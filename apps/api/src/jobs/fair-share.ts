/**
 * Places that several owners share. An owner gets another one as long as it has fewer than are still free: one alone
 * may fill half of them, two a third each, and somebody new always finds one sooner than those who have many.
 */
export class FairPlaces {
  private readonly held = new Map<string, number>();
  private taken = 0;

  constructor(private readonly size: number) {}

  get free(): number {
    return this.size - this.taken;
  }

  countOf(owner: string): number {
    return this.held.get(owner) ?? 0;
  }

  /** Whether the owner may have one more, `promised` others being about to be taken. */
  canAcquire(owner: string, promised = 0): boolean {
    const free = this.free - promised;
    return free > 0 && this.countOf(owner) < free;
  }

  acquire(owner: string): void {
    this.taken += 1;
    this.held.set(owner, this.countOf(owner) + 1);
  }

  release(owner: string): void {
    const left = this.countOf(owner) - 1;
    this.taken -= 1;
    if (left > 0) this.held.set(owner, left);
    else this.held.delete(owner);
  }
}

/** A user whose jobs wait. */
export interface Contender {
  userId: string;
  /** Their oldest waiting job; ids sort by time. */
  oldest: string;
  /** What they run, or are about to run, in all processes. */
  running: number;
  /** When this process last started a job of theirs, as a number that grows; 0: not lately. */
  served: number;
}

/** Whose oldest job starts next, one each: whoever runs the fewest, then whoever was served longest ago. */
export function selectUsers(waiting: readonly Contender[], places: FairPlaces, cap: number): string[] {
  const inOrder = waiting
    .filter(({ running }) => running < cap)
    .sort((a, b) => a.running - b.running || a.served - b.served || (a.oldest < b.oldest ? -1 : 1));
  const next: string[] = [];
  for (const { userId } of inOrder) if (places.canAcquire(userId, next.length)) next.push(userId);
  return next;
}

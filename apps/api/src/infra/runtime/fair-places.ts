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

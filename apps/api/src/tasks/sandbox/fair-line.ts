import { FairPlaces } from '../../infra/runtime/fair-places.ts';

interface Waiter<Shared> {
  owner: string;
  canShare: boolean;
  resolve: (shared: Shared | null) => void;
  reject: (error: unknown) => void;
}

/**
 * Admits callers to a fixed number of places: the owner with the fewest places first, then in the order of arrival. An owner
 * has at most as many places as are free, so that nobody can keep the others out.
 */
export class FairLine<Shared> {
  private readonly places: FairPlaces;
  private readonly waiting = new Set<Waiter<Shared>>();

  constructor(size: number) {
    this.places = new FairPlaces(size);
  }

  /**
   * Resolves to null when the owner has a place, which `leave` returns; or, if the caller can share one, to what `share` gives
   * away. Rejects with the reason of the signal.
   */
  async enter(owner: string, signal: AbortSignal, canShare = false): Promise<Shared | null> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<Shared | null>();
    const waiter = { owner, canShare, resolve, reject };
    this.waiting.add(waiter);
    const abort = () => {
      if (this.waiting.delete(waiter)) reject(signal.reason);
    };
    signal.addEventListener('abort', abort, { once: true });
    this.admit();
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  leave(owner: string): void {
    this.places.release(owner);
    this.admit();
  }

  /**
   * Returns the caller who is next, out of the line, if it can share a place that the owner has. Returns null if anybody else
   * waits, or somebody who cannot share is next: then the place must become free soon.
   */
  share(owner: string): ((shared: Shared) => void) | null {
    const [next] = this.waiting;
    if (next === undefined || !next.canShare) return null;
    for (const waiter of this.waiting) if (waiter.owner !== owner) return null;
    this.waiting.delete(next);
    return next.resolve;
  }

  /** Refuses everybody who waits. */
  refuse(error: Error): void {
    for (const { reject } of this.waiting) reject(error);
    this.waiting.clear();
  }

  private admit(): void {
    for (let next = this.findNext(); next !== null; next = this.findNext()) {
      this.waiting.delete(next);
      this.places.acquire(next.owner);
      next.resolve(null);
    }
  }

  private findNext(): Waiter<Shared> | null {
    let best: Waiter<Shared> | null = null;
    for (const waiter of this.waiting) {
      if (!this.places.canAcquire(waiter.owner)) continue;
      if (best === null || this.places.countOf(waiter.owner) < this.places.countOf(best.owner)) best = waiter;
    }
    return best;
  }
}

import { FairPlaces } from '../../infra/fair-places.ts';

interface Waiter {
  owner: string;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * Admits callers to a fixed number of places: the owner with the fewest places first, then in the order of arrival. An owner
 * has at most as many places as are free, so that nobody can keep the others out.
 */
export class FairLine {
  private readonly places: FairPlaces;
  private readonly waiting = new Set<Waiter>();

  constructor(size: number) {
    this.places = new FairPlaces(size);
  }

  /** Resolves when the owner has a place, which `leave` returns. Rejects with the reason of the signal. */
  async enter(owner: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    const waiter = { owner, resolve: () => resolve(undefined), reject };
    this.waiting.add(waiter);
    const abort = () => {
      if (this.waiting.delete(waiter)) reject(signal.reason);
    };
    signal.addEventListener('abort', abort, { once: true });
    this.admit();
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  leave(owner: string): void {
    this.places.release(owner);
    this.admit();
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
      next.resolve();
    }
  }

  private findNext(): Waiter | null {
    let best: Waiter | null = null;
    for (const waiter of this.waiting) {
      if (!this.places.canAcquire(waiter.owner)) continue;
      if (best === null || this.places.countOf(waiter.owner) < this.places.countOf(best.owner)) best = waiter;
    }
    return best;
  }
}

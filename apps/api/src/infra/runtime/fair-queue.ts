import { Line } from './line.ts';

export interface FairQueueOptions {
  /** The most places in total; unlimited by default. */
  places?: number;
  /** The most places of one key; unlimited by default. */
  perKey?: number;
  /** A key gets a place only if it has fewer than are free: alone at most half of them, so that a new key need not wait. */
  leaveRoom?: boolean;
  /** The most that wait with one key; unlimited by default. */
  waitingPerKey?: number;
  /** The longest wait; unlimited by default. */
  maxWaitMs?: number;
  /** The longest wait while no work with the key makes progress. Work fails without progress if `isStall` says so. */
  stall?: { ms: number; isStall: (error: unknown) => boolean };
}

/** Gives a place back; only the first call has an effect. With `stalled`, the work has made no progress. */
export type Leave = (outcome?: 'stalled') => void;

/** As many as allowed wait with this key. */
export class QueueFullError extends Error {
  override name = 'QueueFullError';
}

/** No place was free in time. Its code is that of an operation of the system that took too long. */
export class QueueTimeoutError extends Error {
  override name = 'QueueTimeoutError';
  readonly code = 'ETIMEDOUT';
}

export interface EnterOptions {
  /** It may resolve to what `share` was given. */
  canShare?: boolean;
  /** The caller is served before others with the same key: work that has begun goes on. */
  isFirst?: boolean;
}

interface Waiter {
  canShare: boolean;
  admit(leave: Leave): void;
  refuse(reason: unknown): void;
}

/** A key with places or waiters. */
interface KeyState {
  readonly key: string;
  taken: number;
  readonly waiting: Line<Waiter>;
  /** Removes the key from the line of those with as many places. */
  unlist: () => void;
  /** When work with the key last made progress. */
  movedAt: number;
}

/**
 * Shares places among keys, such as users or spaces. A place goes to the key with the fewest, and keys with equally many take
 * turns, so a key without a place waits for at most one release per waiting key, however many wait with the others. Callers
 * with the same key are served in the order of their arrival. The cost of an operation does not depend on how many wait.
 */
export class FairQueue {
  private readonly keys = new Map<string, KeyState>();
  /** The keys with waiters, by the number of their places. */
  private readonly lines: Line<KeyState>[] = [];
  private taken = 0;
  private waitingKeys = 0;
  private closed: { reason: unknown } | null = null;

  constructor(private readonly options: FairQueueOptions) {}

  /** The number of free places. Not every key can have one of them. */
  get free(): number {
    return (this.options.places ?? Infinity) - this.taken;
  }

  /** Returns how many places the key could take now, one after another, if nobody else did. */
  roomOf(key: string): number {
    if (this.closed !== null) return 0;
    const { perKey = Infinity, leaveRoom = false } = this.options;
    const taken = this.keys.get(key)?.taken ?? 0;
    const room = leaveRoom ? Math.ceil((this.free - taken) / 2) : this.free;
    return Math.max(0, Math.min(room, perKey - taken));
  }

  /** Runs work in a place. Rejects like `enter`, or like the work. */
  async run<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const leave = await this.enter(key, signal);
    try {
      return await work();
    } catch (error) {
      if (this.options.stall?.isStall(error)) leave('stalled');
      throw error;
    } finally {
      leave();
    }
  }

  /**
   * Waits for a place. Rejects with a `QueueFullError` or `QueueTimeoutError`, or with the reason of the signal or of `close`.
   * To refuse all callers, use `close`: the listeners of a signal are a list, so one signal for many callers takes quadratic time.
   */
  async enter(key: string, signal?: AbortSignal, options: EnterOptions = {}): Promise<Leave> {
    signal?.throwIfAborted();
    if (this.closed !== null) throw this.closed.reason;
    const leave = this.tryEnter(key);
    if (leave !== null) return leave;
    if (this.isFull(key)) throw new QueueFullError(`Too many wait for a place of ${key}`);
    return this.wait(this.stateOf(key), options, signal);
  }

  /** Takes a place without waiting. Returns null if the key cannot have one now. */
  tryEnter(key: string): Leave | null {
    return this.canEnter(key) ? this.take(this.stateOf(key)) : null;
  }

  /**
   * Lets the next caller with a key, if it can share, into a place that the key has. Whoever leaves last must call `leave`.
   * Returns false if there is none, or callers with other keys wait: the place must become free soon.
   */
  share(key: string, leave: Leave): boolean {
    const next = this.keys.get(key)?.waiting.first;
    if (!next?.canShare || this.waitingKeys > 1) return false;
    next.admit(leave);
    return true;
  }

  /** Whether work with a key that has a place made progress since a time of `performance.now()`. */
  hasMoved(key: string, since: number): boolean {
    return (this.keys.get(key)?.movedAt ?? -Infinity) > since;
  }

  /** Whether `enter` would refuse the key because too many wait. */
  isFull(key: string): boolean {
    const { waitingPerKey = Infinity } = this.options;
    return !this.canEnter(key) && (this.keys.get(key)?.waiting.size ?? 0) >= waitingPerKey;
  }

  /** Refuses the callers who wait, and those who come later. Places that are taken are not affected. */
  close(reason: unknown): void {
    this.closed = { reason };
    for (const { waiting } of this.keys.values()) {
      for (let waiter = waiting.first; waiter !== null; waiter = waiting.first) waiter.refuse(reason);
    }
  }

  private canEnter(key: string): boolean {
    return this.closed === null && (this.keys.get(key)?.taken ?? 0) < this.limit();
  }

  /** A key with so many places cannot have another one now. */
  private limit(): number {
    const { perKey = Infinity, leaveRoom = false } = this.options;
    return this.free > 0 ? Math.min(perKey, leaveRoom ? this.free : Infinity) : 0;
  }

  private take(state: KeyState): Leave {
    this.taken += 1;
    this.list(state, state.taken + 1);
    let isInside = true;
    return (outcome) => {
      if (!isInside) return;
      isInside = false;
      if (outcome !== 'stalled') state.movedAt = performance.now();
      this.release(state);
    };
  }

  private release(state: KeyState): void {
    this.taken -= 1;
    this.list(state, state.taken - 1);
    this.forgetIdle(state);
    for (let next = this.findNext(); next !== null; next = this.findNext()) {
      next.waiting.first?.admit(this.take(next));
    }
  }

  private findNext(): KeyState | null {
    const limit = Math.min(this.limit(), this.lines.length);
    for (let taken = 0; taken < limit; taken++) {
      const next = this.lines[taken]?.first ?? null;
      if (next !== null) return next;
    }
    return null;
  }

  private wait(state: KeyState, options: EnterOptions, signal?: AbortSignal): Promise<Leave> {
    const { canShare = false, isFirst = false } = options;
    const { promise, resolve, reject } = Promise.withResolvers<Leave>();
    const since = performance.now();
    let timer: NodeJS.Timeout | undefined;
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      leaveLine();
      if (state.waiting.size === 0) {
        this.waitingKeys -= 1;
        state.unlist();
      }
      this.forgetIdle(state);
    };
    const admit = (leave: Leave) => {
      end();
      resolve(leave);
    };
    const refuse = (reason: unknown) => {
      end();
      reject(reason);
    };
    const abort = () => refuse(signal?.reason);
    const check = () => {
      const now = performance.now();
      const remainingMs = this.deadlineOf(state, since) - now;
      if (remainingMs === Infinity) return;
      if (remainingMs > 0) timer = setTimeout(check, remainingMs);
      else refuse(new QueueTimeoutError(`No place was free for ${Math.round(now - since)} ms`));
    };
    const waiter = { canShare, admit, refuse };
    const leaveLine = isFirst ? state.waiting.unshift(waiter) : state.waiting.push(waiter);
    if (state.waiting.size === 1) {
      this.waitingKeys += 1;
      this.list(state, state.taken);
    }
    signal?.addEventListener('abort', abort, { once: true });
    check();
    return promise;
  }

  private deadlineOf(state: KeyState, since: number): number {
    const { maxWaitMs = Infinity, stall } = this.options;
    return Math.min(since + maxWaitMs, Math.max(since, state.movedAt) + (stall?.ms ?? Infinity));
  }

  /** Changes the number of places of a key, which goes to the end of the line of the keys with as many. */
  private list(state: KeyState, taken: number): void {
    state.unlist();
    state.taken = taken;
    if (state.waiting.size > 0) state.unlist = (this.lines[taken] ??= new Line()).push(state);
  }

  private stateOf(key: string): KeyState {
    const known = this.keys.get(key);
    if (known !== undefined) return known;
    const movedAt = performance.now();
    const state = { key, taken: 0, waiting: new Line<Waiter>(), unlist: () => undefined, movedAt };
    this.keys.set(key, state);
    return state;
  }

  private forgetIdle({ key, taken, waiting }: KeyState): void {
    if (taken === 0 && waiting.size === 0) this.keys.delete(key);
  }
}

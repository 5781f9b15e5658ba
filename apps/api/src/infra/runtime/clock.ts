/** The clock of this process, for limits and tokens. Stored times come from the database. */
export interface Clock {
  /** Milliseconds; those of `systemClock` are since 1970. */
  now(): number;
}

/** For lengths of time in this process: it is never set, so that nobody waits until it has caught up. */
export const steadyClock: Clock = { now: () => performance.now() };

export const systemClock: Clock = { now: () => Date.now() };

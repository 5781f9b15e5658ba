/** The clock of this process, for limits and tokens. Stored times come from the database. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

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

/** Returns the users below the limit of running turns: fewest running turns first, then least recently served. */
export function orderUsers(waiting: readonly Contender[], maxRunning: number): string[] {
  return waiting
    .filter(({ running }) => running < maxRunning)
    .sort((a, b) => a.running - b.running || a.served - b.served || (a.oldest < b.oldest ? -1 : 1))
    .map(({ userId }) => userId);
}

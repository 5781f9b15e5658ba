/** The kinds of rows that hints refer to. Each kind has its own queue. */
export const HINT_KINDS = ['job', 'webhook', 'envelope', 'run'] as const;
export type HintKind = (typeof HINT_KINDS)[number];

export type MessagingState = 'up' | 'down' | 'in-process';

/** Loads the row and does what is due. An error is logged, and the hint counts as consumed. */
export type HintHandler = (id: string) => Promise<void>;

export interface ConsumeOptions {
  /** How many hints of this kind the process handles at the same time. */
  concurrency?: number;
}

/** The intervals of the outbox publishers with a transport, in milliseconds. */
export interface PublishPace {
  /** How long after its creation a row is published again: its first `next_publish_at`. */
  republishAfterMs: number;
  /** Between two polls of the database: after one that found rows, and after many that found none. */
  minPollMs: number;
  maxPollMs: number;
}

export const DEFAULT_CONCURRENCY = 10;

/** The most hints that wait per kind. Hints beyond that are dropped, and their rows wait in the database. */
export const MAX_WAITING = 10_000;

/**
 * Carries hints: ids that mean "look at this row". The truth is in the database, so a hint can be lost, delivered twice,
 * or delivered out of order. It goes to one consumer. An outbox publisher publishes the hints of unhandled rows again.
 */
export abstract class Messaging {
  abstract readonly pace: PublishPace;

  /** Publishes hints for committed rows. Takes at most 300 ms and never rejects: an outage only loses the hints. */
  abstract publish(kind: HintKind, ids: readonly string[]): Promise<void>;

  /** Registers the consumer of a kind. Has no effect in processes that only serve requests (PLATFORM_ROLE). */
  abstract consume(kind: HintKind, handler: HintHandler, options?: ConsumeOptions): void;

  abstract getState(): MessagingState;

  /** Returns how many hints can be published now: 0 if messaging is down, or if too many are waiting. */
  abstract countPlaces(kind: HintKind): number;

  /** Calls the listener when hints may have been lost and can be published again. */
  abstract onRecovery(listener: () => void): void;
}

/** What hints are about; each has its own queue. */
export const HINT_KINDS = ['job', 'webhook'] as const;
export type HintKind = (typeof HINT_KINDS)[number];

export type MessagingState = 'up' | 'down' | 'in-process';

/** Looks at the row of that id and does what is left to do; an error is logged, and the hint counts as consumed. */
export type HintHandler = (id: string) => Promise<void>;

export interface ConsumeOptions {
  /** Handlers of this kind that run at the same time in this process. */
  concurrency?: number;
}

/** How patient the relay loops are with a transport; milliseconds. */
export interface PublishPace {
  /** How long a hint is trusted: the first `next_publish_at` of a row is so much later than its making. */
  republishAfterMs: number;
  /** Between two looks at the database: after one that found something, and after many that found nothing. */
  minPollMs: number;
  maxPollMs: number;
}

export const DEFAULT_CONCURRENCY = 10;

/** Hints that may wait per kind: beyond it they are dropped, and their rows wait in the database instead. */
export const MAX_WAITING = 10_000;

/**
 * Carries hints: ids that say "look at this row". The truth is in the database, so a hint may be lost, may come twice
 * and in any order; it goes to one consumer. Whoever publishes also gives the rows to a relay loop, which publishes
 * what was lost once more.
 */
export abstract class Messaging {
  abstract readonly pace: PublishPace;

  /** Hints at rows that are committed. Takes 300 ms at most and never rejects: an outage loses the hint only. */
  abstract publish(kind: HintKind, ids: readonly string[]): Promise<void>;

  /** Handles the hints of a kind, in processes that work (PLATFORM_ROLE); once per kind. */
  abstract consume(kind: HintKind, handler: HintHandler, options?: ConsumeOptions): void;

  abstract state(): MessagingState;

  /** Whether a hint would be carried now: not while messaging is down or too much is waiting. */
  abstract hasCapacity(kind: HintKind): boolean;

  /** Calls back whenever hints may have been lost and can be published again. */
  abstract onRecovery(listener: () => void): void;
}

import type { TurnStatus } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import type { TurnFailure, TurnSettings } from '../records/turn.ts';

/** What a turn has become. */
export interface TurnChange {
  turnRef: string;
  status: Exclude<TurnStatus, 'QUEUED'>;
  /** Why it failed or was canceled. */
  error: TurnFailure | null;
  finishedAt: Date | null;
}

/**
 * Moves rows of a later module together with turns, in their transactions: what it throws undoes the change. The rows of
 * the turns stay locked until the transaction ends.
 */
export interface TurnObserver {
  /** The source of the turns that it follows; `turnMoved` is not called for others. */
  readonly source: TurnSettings['source'];

  /** Called after a turn of the source has changed its status. New turns are not reported. */
  turnMoved(tx: EntityManager, change: TurnChange): Promise<void>;

  /**
   * Called when a turn of any source stops occupying its session. Every end of a turn pays for it, so it sends at most one
   * prepared statement, which does not wait for those before it (`pipelined`).
   */
  sessionFreed(tx: EntityManager, sessionRef: string): Promise<void>;
}

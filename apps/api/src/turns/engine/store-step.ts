import type { EntityManager } from 'typeorm';
import { pipelined, type Transactions } from '../../infra/database/rows.ts';
import { whileUnavailable } from '../../infra/database/unavailable.ts';
import { LeaseLost } from '../../streams/stream-writer.ts';
import type { ActiveTurn } from './active-turn.ts';
import type { NewStep } from '../records/steps.ts';
import { findStepId, insertStep } from '../records/turn.store.ts';

/**
 * Stores a step of a running turn, and what `also` stores, in one transaction under the turn's fencing token: a process
 * that lost its lease stores nothing. Retries while the database is unavailable. A lost response to COMMIT is no
 * failure: the number of the step shows whether it was stored.
 */
export async function storeStep(
  database: Transactions,
  turn: ActiveTurn,
  step: NewStep,
  also: (tx: EntityManager) => Promise<void> = async () => undefined,
): Promise<void> {
  // Assigned synchronously: calls that run side by side store their results in any order.
  const n = turn.nextStep++;
  const store = async () => {
    try {
      return await database.transaction(async (tx) => {
        await turn.writer.assertLease(tx);
        const [id] = await pipelined(insertStep(tx, turn.id, n, step), also(tx));
        return id;
      });
    } catch (error) {
      const kept = error instanceof LeaseLost ? null : await findStepId(database, turn.id, n, step.kind);
      if (kept === null) throw error;
      return kept;
    }
  };
  // Not the signal of the turn: even if it is stopped, this waits until it is known whether the step is stored.
  const id = await whileUnavailable(store, turn.writer.signal);
  const { measures: _, ...stored } = step;
  turn.steps.push({ ...stored, id, n });
}

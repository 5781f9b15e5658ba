import type { EntityManager } from 'typeorm';
import type { Database } from '../../infra/database/database.ts';
import { pipelined } from '../../infra/database/rows.ts';
import { whileUnavailable } from '../../infra/database/unavailable.ts';
import { LeaseLost } from '../../streams/stream-writer.ts';
import type { ActiveTurn } from './active-turn.ts';
import type { NewStep } from '../records/steps.ts';
import { findStepId, insertStep } from '../records/turn.store.ts';

/**
 * Stores a step of a running turn in one transaction under the turn's fencing token: a process that lost its lease stores
 * nothing. `charge` charges accounts of the space in the same transaction. Retries while the database is unavailable. A lost
 * response to COMMIT is no failure: the number of the step shows whether it was stored.
 */
export async function storeStep(
  database: Database,
  turn: ActiveTurn,
  step: NewStep,
  charge: ((tx: EntityManager) => Promise<void>) | null = null,
): Promise<void> {
  // Assigned synchronously: calls that run side by side store their results in any order.
  const n = turn.nextStep++;
  const store = async () => {
    try {
      return await database.transaction(
        async (tx) => {
          await turn.writer.assertLease(tx);
          const [id] = await pipelined(insertStep(tx, turn.id, n, step), charge?.(tx));
          return id;
        },
        { lane: charge && turn.agent.spaceId },
      );
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

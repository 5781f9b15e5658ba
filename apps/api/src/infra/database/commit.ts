import type { EntityManager } from 'typeorm';
import type { Transactions } from './rows.ts';
import { isUnavailable, whileUnavailable } from './unavailable.ts';

/** Short, because a caller is waiting; a server that crashed is back within seconds. */
const LOOK_UP_MS = 2_000;

/**
 * Runs a transaction and determines its outcome: if the response to COMMIT is lost, `committed` checks whether the rows
 * of `work` exist. Rejects if that cannot be checked either; the transaction may then have committed.
 */
export async function transactionWithOutcome<T>(
  database: Transactions,
  work: (tx: EntityManager) => Promise<T>,
  committed: (made: T) => Promise<boolean>,
): Promise<T> {
  let made: { value: T } | null = null;
  try {
    return await database.transaction(async (tx) => {
      const value = await work(tx);
      made = { value };
      return value;
    });
  } catch (error) {
    const sent = made as { value: T } | null;
    if (sent === null || !isUnavailable(error)) throw error;
    const found = whileUnavailable(() => committed(sent.value), undefined, LOOK_UP_MS);
    if (!(await found.catch(() => false))) throw error;
    return sent.value;
  }
}

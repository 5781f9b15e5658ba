import type { EntityManager } from 'typeorm';
import type { Transactions } from './rows.ts';
import { isUnavailable, whileUnavailable } from './unavailable.ts';

/** A caller waits meanwhile, so not for long: a server that crashed is back within seconds. */
const LOOK_UP_MS = 2_000;

/**
 * Runs a transaction whose outcome is known for sure where that can be: when the answer to COMMIT is lost, `committed`
 * looks for what `work` made. Where even that cannot be asked it rejects, and it may have happened.
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

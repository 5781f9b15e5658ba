import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import type { Connection } from './pools.ts';
import type { Transactions } from './rows.ts';

/** What `QueryRunner.startTransaction` sets. */
interface TransactionState {
  isTransactionActive: boolean;
  transactionDepth: number;
}

/**
 * Returns the database with transactions whose first statement is sent together with BEGIN, which saves a round trip. In
 * the rare case that BEGIN alone fails, that statement and those that are sent without waiting for it (`pipelined`) are
 * executed without the transaction, so each must be harmless by itself; the connection is closed then, and all others fail.
 */
export function withPromptBegin(database: DataSource): Transactions {
  return {
    query: database.query.bind(database),
    transaction: (work) => runTransaction(database.createQueryRunner(), work),
  };
}

async function runTransaction<T>(runner: QueryRunner, work: (tx: EntityManager) => Promise<T>): Promise<T> {
  try {
    ((await runner.connect()) as Connection).begin();
    // A transaction within this one becomes a savepoint.
    const begun: TransactionState = { isTransactionActive: true, transactionDepth: 1 };
    Object.assign(runner, begun);
    const result = await work(runner.manager);
    await runner.commitTransaction();
    return result;
  } catch (error) {
    // The first failure is the one that counts.
    await runner.rollbackTransaction().catch(() => undefined);
    throw error;
  } finally {
    await runner.release();
  }
}

import { DataSource, type DataSourceOptions, type EntityManager, type QueryRunner } from 'typeorm';
import { Batched } from './batched.ts';
import type { Connection } from './connection.ts';
import { createMissingPartition } from './partitions.store.ts';
import type { PoolOptions } from './pools.ts';
import { Lanes } from './lanes.ts';
import { exactlyOne, type CommitsEarly } from './rows.ts';
import { isUnavailable, whileUnavailable } from './unavailable.ts';

export type Work<T> = (tx: EntityManager) => Promise<T>;

export interface TransactionOptions<T> {
  /** What callers have in common that may wait for the same lock, such as the accounts of a space. */
  lane?: string | null;
  /** Whether the rows exist that `work` has stored. Asked if the response to COMMIT is lost. */
  committed?: (made: T) => Promise<boolean>;
}

/** What `QueryRunner.startTransaction` sets. */
interface TransactionState {
  isTransactionActive: boolean;
  transactionDepth: number;
}

/** Short, because a caller is waiting; a server that crashed is back within seconds. */
const LOOK_UP_MS = 2_000;

/** The database for requests and the turns that they start. */
export class Database extends DataSource {
  private readonly lanes: Lanes;

  constructor(options: PoolOptions & Pick<DataSourceOptions, 'entities' | 'namingStrategy'>) {
    super(options);
    this.lanes = new Lanes(options.poolSize, options.extra.connectionTimeoutMillis);
  }

  /**
   * Runs a transaction. BEGIN is sent together with the prepared statements that come first (`preparedRows`); all other
   * statements wait for it. If an insert finds no partition, it is created, and the work is done once more.
   *
   * With a `lane`, at most half of the connections work for it, other callers wait in line, and the work is done again if it
   * waited too long for a lock of others in the lane. With `committed`, the outcome is known even if the response to COMMIT is
   * lost, or the failure says that it is not.
   */
  override transaction<T>(work: Work<T>, options?: TransactionOptions<T>): Promise<T>;
  override transaction<T>(isolation: string, work: Work<T>): Promise<T>;
  override async transaction<T>(
    work: Work<T> | string,
    options: TransactionOptions<T> | Work<T> = {},
  ): Promise<T> {
    if (typeof work === 'string' || typeof options === 'function')
      throw new Error('Every transaction is READ COMMITTED');
    try {
      return await this.runToOutcome(work, options);
    } catch (error) {
      if (!(await createMissingPartition(this, error))) throw error;
      return this.runToOutcome(work, options);
    }
  }

  /** If the response to COMMIT is lost, looks for what was stored. Rejects if that cannot be determined either. */
  private async runToOutcome<T>(work: Work<T>, { lane, committed }: TransactionOptions<T>): Promise<T> {
    let made: { value: T } | null = null;
    const keep = async (tx: EntityManager) => {
      const value = await work(tx);
      made = { value };
      return value;
    };
    const run = () => this.runOnce(keep);
    try {
      return await (lane == null ? run() : this.lanes.run(lane, run));
    } catch (error) {
      const sent = made as { value: T } | null;
      if (committed === undefined || sent === null || !isUnavailable(error)) throw error;
      const found = whileUnavailable(() => committed(sent.value), undefined, LOOK_UP_MS);
      if (!(await found.catch(() => false))) throw error;
      return sent.value;
    }
  }

  private async runOnce<T>(work: Work<T>): Promise<T> {
    const runner = this.createQueryRunner();
    try {
      holdUntil(((await runner.connect()) as Connection).begin(), runner);
      // A transaction within this one becomes a savepoint.
      const begun: TransactionState = { isTransactionActive: true, transactionDepth: 1 };
      const early = new EarlyCommit(runner);
      Object.assign(runner, begun, { sendCommit: () => early.send() } satisfies CommitsEarly);
      const result = await work(runner.manager);
      await (early.outcome ?? runner.commitTransaction());
      return result;
    } catch (error) {
      // The first failure is the one that counts.
      await runner.rollbackTransaction().catch(() => undefined);
      throw error;
    } finally {
      await runner.release();
    }
  }
}

/** The database for background work, which continues when requests use all connections of `Database`. */
export class BackgroundDatabase extends Database {
  private readonly checks = new Batched((queries: string[]) => this.check(queries));

  /**
   * Whether a query without parameters has rows. Polls ask it whether anything is due: the queries of one moment are one
   * statement, so an idle process needs few.
   */
  hasRows(query: string): Promise<boolean> {
    return this.checks.get(query);
  }

  private async check(queries: string[]): Promise<boolean[]> {
    const checks = queries.map((query) => `exists (${query})`).join(', ');
    const { found } = await exactlyOne<{ found: boolean[] }>(this, `select array[${checks}] as found`);
    return found;
  }
}

/** A COMMIT that is sent before the work of its transaction has ended. */
class EarlyCommit {
  outcome: Promise<void> | null = null;

  constructor(private readonly runner: QueryRunner) {}

  send(): void {
    const { runner } = this;
    // In as many steps as a prepared statement, so that it is sent behind those that were called before.
    this.outcome = (runner.connect() as Promise<Connection>)
      .then((connection) => connection.query('COMMIT'))
      .then(({ command }) => {
        if (command !== 'COMMIT') throw new Error('The transaction was rolled back');
      });
    // The failure of a statement comes first.
    this.outcome.catch(() => undefined);
    runner.connect = () =>
      Promise.reject(new Error('The transaction has ended: nothing can follow its COMMIT'));
    Object.assign(runner, { isTransactionActive: false });
  }
}

/** Lets no statement of the runner be sent before the transaction has begun, except for prepared ones. */
function holdUntil(begun: Promise<unknown>, runner: QueryRunner): void {
  const query = runner.query.bind(runner) as (...args: unknown[]) => Promise<unknown>;
  runner.query = (async (...args: unknown[]) => {
    await begun;
    return query(...args);
  }) as QueryRunner['query'];
}

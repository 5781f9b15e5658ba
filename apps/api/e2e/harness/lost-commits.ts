import type pg from 'pg';
import type { DataSource, QueryRunner } from 'typeorm';

/** What a broken connection looks like to whoever waited for the answer. */
export const lostResponse = () => new Error('Connection terminated unexpectedly');

/**
 * Loses answers to COMMIT: the transaction is committed, and its caller is told that the connection broke. Counts
 * the statements that the transactions ran, so that a test can pick the ones it is about.
 */
export class LostCommits {
  /** How many were lost so far. */
  lost = 0;
  private left = 0;
  private pattern = /./;
  private readonly createQueryRunner: DataSource['createQueryRunner'];

  constructor(private readonly database: DataSource) {
    this.createQueryRunner = database.createQueryRunner.bind(database);
    database.createQueryRunner = (mode) => this.watch(this.createQueryRunner(mode));
  }

  /** Loses the answers of the next `count` transactions in which a statement matches. */
  next(pattern: RegExp, count = 1): void {
    this.pattern = pattern;
    this.left = count;
  }

  restore(): void {
    this.database.createQueryRunner = this.createQueryRunner;
  }

  private watch(runner: QueryRunner): QueryRunner {
    let matched = false;
    const query = runner.query.bind(runner) as (...args: unknown[]) => Promise<unknown>;
    const note = (text: unknown) => (matched ||= this.left > 0 && this.pattern.test(String(text)));
    runner.query = ((...args: unknown[]) => {
      note(args[0]);
      return query(...args);
    }) as QueryRunner['query'];
    // Prepared statements go to the connection itself.
    const connect = runner.connect.bind(runner) as () => Promise<pg.Client>;
    runner.connect = async () => {
      const client = await connect();
      const ask = client.query.bind(client) as (...args: unknown[]) => unknown;
      return new Proxy(client, {
        get: (target, key) =>
          key === 'query'
            ? (...args: unknown[]) => {
                const text = (args[0] as { text?: string }).text ?? args[0];
                note(text);
                const isLost = text === 'COMMIT' && matched && this.left > 0;
                return isLost ? this.lose(ask(...args)) : ask(...args);
              }
            : (Reflect.get(target, key, target) as unknown),
      });
    };
    return runner;
  }

  private async lose(committed: unknown): Promise<never> {
    this.left--;
    await committed;
    this.lost++;
    throw lostResponse();
  }
}

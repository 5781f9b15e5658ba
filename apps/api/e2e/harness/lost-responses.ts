import type pg from 'pg';
import type { DataSource } from 'typeorm';
import { poolOf } from '../../src/infra/database/rows.ts';
import { lostResponse } from './lost-commits.ts';

/** Loses responses to statements outside of transactions: each takes effect, and its caller hears of a broken connection. */
export class LostResponses {
  lost = 0;
  private pattern: RegExp | null = null;
  private readonly query: DataSource['query'];
  private readonly pool: pg.Pool;
  private readonly prepared: pg.Pool['query'];

  constructor(private readonly database: DataSource) {
    this.query = database.query.bind(database);
    database.query = (async (...args: Parameters<DataSource['query']>) => {
      const result: unknown = await this.query(...args);
      this.lose(args[0]);
      return result;
    }) as DataSource['query'];
    // Prepared statements go to the pool itself.
    this.pool = poolOf(database);
    this.prepared = this.pool.query.bind<pg.Pool['query']>(this.pool);
    this.pool.query = (async (query: pg.QueryConfig) => {
      const result: unknown = await this.prepared(query);
      this.lose(query.text);
      return result;
    }) as pg.Pool['query'];
  }

  /** Loses the response to the next statement that matches. */
  next(pattern: RegExp): void {
    this.pattern = pattern;
  }

  restore(): void {
    this.database.query = this.query;
    this.pool.query = this.prepared;
  }

  private lose(statement: string): void {
    if (!this.pattern?.test(statement)) return;
    this.pattern = null;
    this.lost++;
    throw lostResponse();
  }
}

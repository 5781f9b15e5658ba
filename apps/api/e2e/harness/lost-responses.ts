import type { DataSource } from 'typeorm';
import { lostResponse } from './lost-commits.ts';

/** Loses responses to statements outside of transactions: each takes effect, and its caller hears of a broken connection. */
export class LostResponses {
  lost = 0;
  private pattern: RegExp | null = null;
  private readonly query: DataSource['query'];

  constructor(private readonly database: DataSource) {
    this.query = database.query.bind(database);
    database.query = (async (...args: Parameters<DataSource['query']>) => {
      const result: unknown = await this.query(...args);
      if (!this.pattern?.test(args[0])) return result;
      this.pattern = null;
      this.lost++;
      throw lostResponse();
    }) as DataSource['query'];
  }

  /** Loses the response to the next statement that matches. */
  next(pattern: RegExp): void {
    this.pattern = pattern;
  }

  restore(): void {
    this.database.query = this.query;
  }
}

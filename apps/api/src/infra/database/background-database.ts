import { DataSource } from 'typeorm';
import { Batched } from './batched.ts';
import { exactlyOne } from './rows.ts';

/** The database for background work, which continues when requests use all connections of `DataSource`. */
export class BackgroundDatabase extends DataSource {
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

import pg from 'pg';
import type { TestApp } from './app.ts';

export interface SqlCost {
  statements: number;
  /** From each statement's start to its answer, summed. */
  ms: number;
  /** Rows that were read or written in the service's tables. */
  rows: number;
  /** The pieces of values that are stored out of line. */
  chunks: number;
}

type Query = (this: pg.Client, ...args: unknown[]) => unknown;

/** What this process asks of the database, and what the database does for it; one at a time. */
export class SqlMeter {
  private readonly clients = new Set<pg.Client>();
  private statements = 0;
  private ms = 0;
  private before = { rows: 0, chunks: 0 };

  private constructor(
    private readonly observer: pg.Client,
    private readonly query: Query,
  ) {}

  static async attach(app: TestApp): Promise<SqlMeter> {
    const observer = new pg.Client({ connectionString: app.databaseUrl });
    await observer.connect();
    const prototype = pg.Client.prototype as { query: Query };
    const { query } = prototype;
    const meter = new SqlMeter(observer, query);
    prototype.query = function (...args) {
      const start = performance.now();
      const answer = query.apply(this, args);
      if (this === observer) return answer;
      meter.add(this);
      meter.statements++;
      if (!(answer instanceof Promise)) return answer;
      return answer.finally(() => (meter.ms += performance.now() - start));
    };
    return meter;
  }

  async reset(): Promise<void> {
    this.before = await this.totals();
    this.statements = 0;
    this.ms = 0;
  }

  async read(): Promise<SqlCost> {
    const { statements, ms, before } = this;
    const { rows, chunks } = await this.totals();
    return { statements, ms, rows: rows - before.rows, chunks: chunks - before.chunks };
  }

  async close(): Promise<void> {
    (pg.Client.prototype as { query: Query }).query = this.query;
    await this.observer.end();
  }

  private add(client: pg.Client): void {
    if (this.clients.has(client)) return;
    this.clients.add(client);
    client.once('end', () => this.clients.delete(client));
  }

  /** A pool closes connections that are idle for ten seconds; such a connection tells its counts at its end. */
  private async flush(client: pg.Client): Promise<void> {
    try {
      await this.query.call(client, 'select pg_stat_force_next_flush()');
    } catch (error) {
      if (!/^(Client was closed|Connection terminated)/.test((error as Error).message)) throw error;
    }
  }

  private async totals(): Promise<{ rows: number; chunks: number }> {
    // A connection tells its counts now and then, unless it is told to.
    for (const client of this.clients) await this.flush(client);
    const { rows } = await this.observer.query<{ rows: number; chunks: number }>(
      `select sum(touched) filter (where schemaname = 'public')::float8 as rows,
         sum(touched) filter (where schemaname = 'pg_toast')::float8 as chunks
       from (select schemaname, seq_tup_read + coalesce(idx_tup_fetch, 0) + n_tup_ins + n_tup_upd + n_tup_del as touched
         from pg_stat_all_tables where schemaname in ('public', 'pg_toast')) t`,
    );
    return rows[0] ?? { rows: 0, chunks: 0 };
  }
}

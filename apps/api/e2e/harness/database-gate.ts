import pg from 'pg';
import type { TestApp } from './app.ts';
import { eventually } from './eventually.ts';

let gates = 0;

/** Holds transactions up in the middle: each waits once it has changed a row in the given way, until the gate opens. */
export class DatabaseGate {
  private isOpen = false;

  private constructor(
    private readonly holder: pg.Client,
    private readonly lock: number,
    private readonly drop: string,
  ) {}

  /** `change`: `insert on turn` or `update on turn`; `when`: an SQL condition over `new`. */
  static async close(app: TestApp, change: string, when: string): Promise<DatabaseGate> {
    const lock = 990_000 + ++gates;
    const name = `gate_${lock}`;
    const [, table] = change.split(' on ');
    const holder = new pg.Client({ connectionString: app.databaseUrl });
    await holder.connect();
    await holder.query('select pg_advisory_lock($1)', [lock]);
    await holder.query(
      `create function ${name}() returns trigger language plpgsql as
         'begin perform pg_advisory_xact_lock_shared(${lock}); return new; end'`,
    );
    await holder.query(
      `create trigger ${name} after ${change} for each row when (${when}) execute function ${name}()`,
    );
    return new DatabaseGate(holder, lock, `drop trigger ${name} on ${table}`);
  }

  /** Resolves once somebody waits at the gate. */
  async reached(): Promise<void> {
    await eventually(async () => {
      const waiting = await this.holder.query(
        `select from pg_locks where locktype = 'advisory' and objid = $1 and not granted`,
        [this.lock],
      );
      if (waiting.rowCount === 0) throw new Error('Nobody waits at the gate');
    });
  }

  /** Resolves once somebody waits for a lock of whoever waits at the gate. */
  async blocksOthers(): Promise<void> {
    await eventually(async () => {
      const blocked = await this.holder.query(
        `select from pg_locks w where not w.granted and exists (
           select from pg_locks g where g.locktype = 'advisory' and g.objid = $1 and not g.granted
             and g.pid = any(pg_blocking_pids(w.pid)))`,
        [this.lock],
      );
      if (blocked.rowCount === 0) throw new Error('Nobody waits for whoever waits at the gate');
    });
  }

  /** May be called again. */
  async open(): Promise<void> {
    if (this.isOpen) return;
    this.isOpen = true;
    await this.holder.query('select pg_advisory_unlock($1)', [this.lock]);
    await this.holder.query(this.drop);
    await this.holder.end();
  }
}

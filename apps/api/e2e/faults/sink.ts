import pg from 'pg';
import { createDatabase } from '../harness/app.ts';

/** One execution of the step that has an effect. */
export interface Effect {
  runId: string;
  envelopeId: string | null;
  label: string;
  attempt: number;
  pid: number;
  startedAt: Date;
  /** Null if the process died meanwhile. */
  finishedAt: Date | null;
  isAborted: boolean;
  /** When its process was killed or stopped meanwhile. */
  haltedAt: Date | null;
}

/**
 * A database of its own, on another server than the one a test breaks: here the tasks leave their effects, outside of every
 * transaction of the service. So a run that executes twice leaves two rows, whatever the service believes.
 */
export class Sink {
  private constructor(
    readonly url: string,
    private readonly pool: pg.Pool,
  ) {}

  static async create(): Promise<Sink> {
    const url = await createDatabase();
    const pool = new pg.Pool({ connectionString: url, max: 2 });
    await pool.query(`
      create table effect (
        id bigint generated always as identity primary key,
        run_id uuid not null,
        envelope_id uuid,
        label text not null,
        attempt int not null,
        pid int not null,
        started_at timestamptz not null default clock_timestamp(),
        finished_at timestamptz,
        is_aborted boolean not null default false
      )`);
    await pool.query(
      'create table halt (pid int not null, at timestamptz not null default clock_timestamp())',
    );
    return new Sink(url, pool);
  }

  /** As if a run executed now, for a minute. */
  async add({ runId, label, attempt }: Pick<Effect, 'runId' | 'label' | 'attempt'>): Promise<void> {
    await this.pool.query(
      `insert into effect (run_id, label, attempt, pid, finished_at)
       values ($1, $2, $3, 0, clock_timestamp() + interval '1 minute')`,
      [runId, label, attempt],
    );
  }

  /** Notes that a process has ended, or was stopped: from then on, it executes nothing. */
  async halt(pid: number): Promise<void> {
    await this.pool.query('insert into halt (pid) values ($1)', [pid]);
  }

  async effects(label?: string): Promise<Effect[]> {
    const { rows } = await this.pool.query<Effect>(
      `select run_id as "runId", envelope_id as "envelopeId", label, attempt, pid, started_at as "startedAt",
         finished_at as "finishedAt", is_aborted as "isAborted",
         (select min(at) from halt h where h.pid = e.pid and h.at >= e.started_at) as "haltedAt"
       from effect e where $1::text is null or label = $1 order by id`,
      [label ?? null],
    );
    return rows;
  }

  async count(): Promise<number> {
    const { rows } = await this.pool.query<{ count: number }>('select count(*)::int as count from effect');
    return rows[0]?.count ?? 0;
  }

  async close(): Promise<void> {
    await this.pool.end();
  }
}

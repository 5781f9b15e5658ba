import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Action, ActionContext } from '../../src/tasks/definition/action.registry.ts';

interface SinkInput {
  label: string;
  /** How long the step works. */
  ms?: number;
  /** The attempts that fail: this one and those before it. */
  failUntil?: number;
  /** Blocks the thread meanwhile, as a runaway step would. */
  isBlocking?: boolean;
}

/**
 * The action of `tool` steps in the fault tests: writes one row when it starts, works, and completes the row. The row is in
 * another database, and nothing rolls it back.
 */
export class SinkAction implements Action {
  readonly kind = 'tool';
  private readonly pool: pg.Pool;

  constructor(url: string) {
    this.pool = new pg.Pool({ connectionString: url, max: 8, allowExitOnIdle: true });
    this.pool.on('error', () => {});
  }

  async run({ runId, attempt, trigger, step, signal }: ActionContext): Promise<unknown> {
    if (step.kind !== 'tool') throw new Error(`A ${step.kind} step is not for the sink`);
    const { label, ms = 0, failUntil = 0, isBlocking = false } = step.input as unknown as SinkInput;
    const { rows } = await this.pool.query<{ id: string }>(
      `insert into effect (run_id, envelope_id, label, attempt, pid) values ($1, $2, $3, $4, $5) returning id`,
      [runId, trigger?.id ?? null, label, attempt, process.pid],
    );
    const id = rows[0]?.id;
    if (isBlocking) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
    else if (ms > 0) await delay(ms, undefined, { signal }).catch(() => {});
    await this.pool.query(
      'update effect set finished_at = clock_timestamp(), is_aborted = $2 where id = $1',
      [id, signal.aborted],
    );
    signal.throwIfAborted();
    if (attempt <= failUntil) throw new Error(`Attempt ${attempt} fails`);
    return { effect: id };
  }

  async close(): Promise<void> {
    await this.pool.end();
  }
}

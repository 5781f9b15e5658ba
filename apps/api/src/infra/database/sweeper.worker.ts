import { setTimeout as delay } from 'node:timers/promises';
import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { BackgroundDatabase } from './database.ts';
import { exactlyOne, rows, type Sql } from './rows.ts';

export const MINUTE = 60_000;
const HOUR = 3_600_000;
const SWEEP_LOCK = 720_002;
/** The most rows that one statement of a purge removes. */
export const SWEEP_BATCH = 1_000;
/** A sweep pauses after each batch for as long as the batch took, so that it uses at most half of a connection. */
const MIN_REST_MS = 10;
/** A sweep that takes longer continues at the next tick, after the others. */
const MAX_MS = 60_000;

/**
 * One batch. Resolves to the number of rows it removed, at most `limit`, or to nothing if there are no batches. A statement
 * compares times with statement_timestamp(): no index serves a comparison with a volatile function.
 */
export type SweepBatch = (limit: number) => Promise<number | void>;

interface Sweep {
  batch: SweepBatch;
  everyMs: number;
  /** By the clock of `performance.now()`. */
  dueAt: number;
}

/** Purges expired rows, in one process at a time; an advisory lock decides which. */
@Injectable()
export class SweeperWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(SweeperWorker.name);
  private readonly sweeps = new Map<string, Sweep>();
  private readonly stopping = new AbortController();
  private timer: NodeJS.Timeout | null = null;
  private running: Promise<void> | null = null;

  constructor(private readonly database: BackgroundDatabase) {}

  /** `batch` can run at any time, next to live traffic, and is repeated as long as it removes `limit` rows. */
  register(name: string, batch: SweepBatch, everyMs = HOUR): void {
    this.sweeps.set(name, { batch, everyMs, dueAt: performance.now() + everyMs });
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => this.tick(), MINUTE).unref();
  }

  /** Runs the sweeps that are due at a time; without a time, all of them. */
  async sweep(now = Infinity): Promise<void> {
    // Half a tick early is better than a tick late.
    const due = [...this.sweeps].filter(([, { dueAt }]) => dueAt <= now + MINUTE / 2);
    if (due.length === 0) return;
    await this.database
      .transaction(async (lock) => {
        if (!(await tryLock(lock))) return;
        for (const [name, sweep] of due) await this.run(name, sweep);
      })
      .catch((error: unknown) => this.logger.error({ err: error }));
  }

  async beforeApplicationShutdown(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    this.stopping.abort();
    await this.running;
  }

  private tick(): void {
    this.running ??= this.sweep(performance.now()).finally(() => (this.running = null));
  }

  /** Never rejects: a failure must not keep the other sweeps from running. */
  private async run(name: string, sweep: Sweep): Promise<void> {
    const { signal } = this.stopping;
    const began = performance.now();
    sweep.dueAt = began + sweep.everyMs;
    try {
      while (!signal.aborted) {
        const start = performance.now();
        if ((await sweep.batch(SWEEP_BATCH)) !== SWEEP_BATCH) return;
        if (performance.now() - began > MAX_MS) {
          sweep.dueAt = performance.now();
          return;
        }
        await delay(Math.max(MIN_REST_MS, performance.now() - start), undefined, { signal });
      }
    } catch (error) {
      if (!signal.aborted) this.logger.error({ err: error, sweep: name });
    }
  }
}

/** The lock belongs to a transaction that does nothing else, so it ends with the connection if the process dies. */
async function tryLock(tx: Sql): Promise<boolean> {
  const { taken } = await exactlyOne<{ taken: boolean }>(
    tx,
    'select pg_try_advisory_xact_lock($1) as taken',
    [SWEEP_LOCK],
  );
  if (taken) await rows(tx, 'set local idle_in_transaction_session_timeout = 0');
  return taken;
}

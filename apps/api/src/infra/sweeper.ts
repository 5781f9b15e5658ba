import { setTimeout as delay } from 'node:timers/promises';
import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import type { QueryRunner } from 'typeorm';
import { BackgroundDatabase } from './database/background-database.ts';

export const MINUTE = 60_000;
const HOUR = 3_600_000;
const SWEEP_LOCK = 720_002;
/** Rows that one statement of a purge removes at most. */
export const SWEEP_BATCH = 1_000;
/** A sweep rests after each batch for as long as it took, so that it takes half of a connection at most. */
const MIN_REST_MS = 10;
/** A sweep that removes for so long goes on at the next one, behind the others. */
const MAX_MS = 60_000;

/** One batch: resolves to how many rows it removed, `limit` at most; no number: there are no batches. */
export type SweepBatch = (limit: number) => Promise<number | void>;

interface Sweep {
  batch: SweepBatch;
  everyMs: number;
  /** By the clock of `performance.now()`. */
  dueAt: number;
}

/** Removes what has had its time, in one process at a time (an advisory try-lock decides which). */
@Injectable()
export class Sweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(Sweeper.name);
  private readonly sweeps = new Map<string, Sweep>();
  private readonly stopping = new AbortController();
  private timer: NodeJS.Timeout | null = null;
  private underWay: Promise<void> | null = null;

  constructor(private readonly database: BackgroundDatabase) {}

  /** `batch` may run at any time, also beside live traffic, and runs again as long as it removes `limit` rows. */
  register(name: string, batch: SweepBatch, everyMs = HOUR): void {
    this.sweeps.set(name, { batch, everyMs, dueAt: performance.now() + everyMs });
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => this.tick(), MINUTE).unref();
  }

  /** Does what is due by then; without a time, everything. */
  async sweep(now = Infinity): Promise<void> {
    // A little early rather than a whole tick late.
    const due = [...this.sweeps].filter(([, { dueAt }]) => dueAt <= now + MINUTE / 2);
    if (due.length === 0) return;
    const lock = this.database.createQueryRunner();
    try {
      if (!(await tryLock(lock))) return;
      for (const [name, sweep] of due) await this.run(name, sweep);
      await lock.query('select pg_advisory_unlock($1)', [SWEEP_LOCK]);
    } catch (error) {
      this.logger.error({ err: error });
    } finally {
      await lock.release();
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    this.stopping.abort();
    await this.underWay;
  }

  private tick(): void {
    this.underWay ??= this.sweep(performance.now()).finally(() => (this.underWay = null));
  }

  /** Never rejects: the other sweeps follow whatever happens to this one. */
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

/** The lock is the session's: it ends with its connection where the process dies. */
async function tryLock(lock: QueryRunner): Promise<boolean> {
  const [{ taken }] = (await lock.query('select pg_try_advisory_lock($1) as taken', [SWEEP_LOCK])) as [
    { taken: boolean },
  ];
  return taken;
}

import { setTimeout as delay } from 'node:timers/promises';
import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { BackgroundDatabase } from './database.ts';
import { exactlyOne, rows, type Sql } from './rows.ts';
import * as store from './sweeps.store.ts';

export const MINUTE = 60_000;
const HOUR = 3_600_000;
const SWEEP_LOCK = 720_002;
/** The most rows that one statement of a purge removes. */
export const SWEEP_BATCH = 1_000;
/** A sweep pauses after each batch for as long as the batch took, so that it uses at most half of a connection. */
const MIN_REST_MS = 10;
/** A sweep that takes longer continues at the next tick, after the others: it stays due. */
const MAX_MS = 60_000;

/**
 * One batch. Resolves to the number of rows it removed, at most `limit`, or to nothing if there are no batches. A statement
 * compares times with statement_timestamp(): no index serves a comparison with a volatile function.
 */
export type SweepBatch = (limit: number) => Promise<number | void>;

interface Sweep {
  batch: SweepBatch;
  everyMs: number;
}

/**
 * Purges expired rows, in one process at a time; an advisory lock decides which. A table remembers when each sweep last
 * succeeded, so a sweep is due in its time however often processes restart.
 */
@Injectable()
export class SweeperWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(SweeperWorker.name);
  private readonly sweeps = new Map<string, Sweep>();
  private readonly stopping = new AbortController();
  private timer: NodeJS.Timeout | null = null;
  private running: Promise<void> | null = null;
  private warnedAt = -HOUR;

  constructor(private readonly database: BackgroundDatabase) {}

  /** `batch` can run at any time, next to live traffic, and is repeated as long as it removes `limit` rows. */
  register(name: string, batch: SweepBatch, everyMs = HOUR): void {
    this.sweeps.set(name, { batch, everyMs });
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => this.tick(), MINUTE).unref();
  }

  /** Runs all sweeps. */
  sweep(): Promise<void> {
    return this.runAlone(() => Promise.resolve([...this.sweeps.keys()]));
  }

  /** Runs the sweeps that are due, and warns of those that are overdue. */
  async sweepDue(): Promise<void> {
    await this.runAlone(() => store.listDueSweeps(this.database, this.periods()));
    if (performance.now() - this.warnedAt < HOUR) return;
    const overdue = await this.listOverdue();
    if (overdue.length === 0) return;
    this.warnedAt = performance.now();
    this.logger.warn({ overdue }, 'Sweeps are overdue');
  }

  /** Describes each sweep that has not succeeded for twice its period and an hour. */
  async listOverdue(): Promise<string[]> {
    const overdue = await store.listOverdueSweeps(this.database, this.periods());
    return overdue.map(({ name, succeededAt, failures }) => {
      const last =
        succeededAt === null ? 'has never succeeded' : `last succeeded ${succeededAt.toISOString()}`;
      return `The sweep "${name}" is overdue: it ${last}, and failed ${failures} times since`;
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    this.stopping.abort();
    await this.running;
  }

  private tick(): void {
    this.running ??= this.sweepDue()
      .catch((error: unknown) => this.logger.error({ err: error }))
      .finally(() => (this.running = null));
  }

  private periods(): store.SweepPeriod[] {
    return [...this.sweeps].map(([name, { everyMs }]) => ({ name, everyMs }));
  }

  private async runAlone(choose: () => Promise<string[]>): Promise<void> {
    await this.database
      .transaction(async (lock) => {
        if (!(await tryLock(lock))) return;
        for (const name of await choose()) {
          const sweep = this.sweeps.get(name);
          if (sweep) await this.run(name, sweep);
        }
      })
      .catch((error: unknown) => this.logger.error({ err: error }));
  }

  /** Never rejects: a failure must not keep the other sweeps from running. */
  private async run(name: string, sweep: Sweep): Promise<void> {
    const { signal } = this.stopping;
    const began = performance.now();
    try {
      while (!signal.aborted) {
        const start = performance.now();
        if ((await sweep.batch(SWEEP_BATCH)) !== SWEEP_BATCH) {
          await store.recordSweepSuccess(this.database, name);
          return;
        }
        if (performance.now() - began > MAX_MS) return;
        await delay(Math.max(MIN_REST_MS, performance.now() - start), undefined, { signal });
      }
    } catch (error) {
      if (signal.aborted) return;
      this.logger.error({ err: error, sweep: name });
      await store
        .recordSweepFailure(this.database, name)
        .catch((failure: unknown) => this.logger.error({ err: failure }));
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

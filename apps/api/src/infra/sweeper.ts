import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { BackgroundDatabase } from './database/background-database.ts';

export const MINUTE = 60_000;
const HOUR = 3_600_000;
const SWEEP_LOCK = 720_002;

interface Sweep {
  work: () => Promise<void>;
  everyMs: number;
  /** By the clock of `performance.now()`. */
  dueAt: number;
}

/** Removes what has had its time, in one process at a time (an advisory try-lock decides which). */
@Injectable()
export class Sweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(Sweeper.name);
  private readonly sweeps = new Map<string, Sweep>();
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly database: BackgroundDatabase) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.sweep(performance.now()), MINUTE).unref();
  }

  /** `work` removes in batches and may run at any time, also beside live traffic; in whole minutes. */
  register(name: string, work: () => Promise<void>, everyMs = HOUR): void {
    this.sweeps.set(name, { work, everyMs, dueAt: performance.now() + everyMs });
  }

  /** Does what is due by then; without a time, everything. */
  async sweep(now = Infinity): Promise<void> {
    // A little early rather than a whole tick late.
    const due = [...this.sweeps].filter(([, { dueAt }]) => dueAt <= now + MINUTE / 2);
    if (due.length === 0) return;
    const lock = this.database.createQueryRunner();
    try {
      const [{ taken }] = (await lock.query('select pg_try_advisory_lock($1) as taken', [SWEEP_LOCK])) as [
        { taken: boolean },
      ];
      if (!taken) return;
      for (const [name, sweep] of due) {
        sweep.dueAt = performance.now() + sweep.everyMs;
        await sweep.work().catch((error: unknown) => this.logger.error({ err: error, sweep: name }));
      }
      await lock.query('select pg_advisory_unlock($1)', [SWEEP_LOCK]);
    } catch (error) {
      this.logger.error({ err: error });
    } finally {
      await lock.release();
    }
  }

  beforeApplicationShutdown(): void {
    if (this.timer) clearInterval(this.timer);
  }
}

import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';

const HOUR = 3_600_000;
const SWEEP_LOCK = 720_002;

/** Removes what has had its time, hourly, in one process of all (an advisory try-lock decides which). */
@Injectable()
export class Sweeper implements BeforeApplicationShutdown {
  private readonly logger = new Logger(Sweeper.name);
  private readonly sweeps = new Map<string, () => Promise<void>>();
  private readonly timer = setInterval(() => void this.sweep(), HOUR).unref();

  constructor(private readonly database: DataSource) {}

  /** `work` removes in batches and may run at any time, also beside live traffic. */
  register(name: string, work: () => Promise<void>): void {
    this.sweeps.set(name, work);
  }

  async sweep(): Promise<void> {
    const lock = this.database.createQueryRunner();
    try {
      const [{ taken }] = (await lock.query('select pg_try_advisory_lock($1) as taken', [SWEEP_LOCK])) as [
        { taken: boolean },
      ];
      if (!taken) return;
      for (const [name, work] of this.sweeps) {
        await work().catch((error: unknown) => this.logger.error({ err: error, sweep: name }));
      }
      await lock.query('select pg_advisory_unlock($1)', [SWEEP_LOCK]);
    } catch (error) {
      this.logger.error({ err: error });
    } finally {
      await lock.release();
    }
  }

  beforeApplicationShutdown(): void {
    clearInterval(this.timer);
  }
}

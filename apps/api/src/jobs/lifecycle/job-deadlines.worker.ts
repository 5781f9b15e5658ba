import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { BackgroundDatabase } from '../../infra/database/background-database.ts';
import { JobEndingsService } from './job-endings.service.ts';
import { timeOutJobs } from '../queue/job-queue.store.ts';
import { JobRecordsService } from '../records/job-records.service.ts';

const POLL_MS = 500;
const BATCH = 100;

/** Stops jobs that time out. It polls, because hints may be delayed by others. */
@Injectable()
export class JobDeadlinesWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(JobDeadlinesWorker.name);
  private timer: NodeJS.Timeout | null = null;
  private underWay: Promise<void> | null = null;

  constructor(
    private readonly config: PlatformConfig,
    private readonly database: BackgroundDatabase,
    private readonly records: JobRecordsService,
    private readonly endings: JobEndingsService,
  ) {}

  onApplicationBootstrap(): void {
    if (this.config.isWorker) this.timer = setInterval(() => this.tick(), POLL_MS).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    await this.underWay;
  }

  private tick(): void {
    this.underWay ??= this.stopOverdue().finally(() => (this.underWay = null));
  }

  private async stopOverdue(): Promise<void> {
    try {
      const overdue = await timeOutJobs(this.database, BATCH);
      for (const job of await this.records.listByIds(overdue)) await this.endings.stop(job);
    } catch (error) {
      this.logger.warn({ err: error }, 'Overdue jobs could not be stopped; retrying');
    }
  }
}

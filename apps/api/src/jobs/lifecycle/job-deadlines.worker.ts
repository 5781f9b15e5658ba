import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { BackgroundDatabase } from '../../infra/database/database.ts';
import { PollLoop } from '../../infra/runtime/poll-loop.ts';
import { JobEndingsService } from './job-endings.service.ts';
import { JOBS_OVERDUE, timeOutJobs } from '../queue/job-queue.store.ts';
import { JobRecordsService } from '../records/job-records.service.ts';

const POLL_MS = 500;
const BATCH = 100;

/** Stops jobs that time out. It polls, because hints may be delayed by others. */
@Injectable()
export class JobDeadlinesWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(JobDeadlinesWorker.name);
  private readonly loop = new PollLoop(() => this.poll());

  constructor(
    private readonly config: PlatformConfig,
    private readonly database: BackgroundDatabase,
    private readonly records: JobRecordsService,
    private readonly endings: JobEndingsService,
  ) {}

  onApplicationBootstrap(): void {
    if (this.config.isWorker) this.loop.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.loop.stop();
  }

  /** Returns the milliseconds until the next poll. */
  private async poll(): Promise<number> {
    try {
      if (await this.database.hasRows(JOBS_OVERDUE)) await this.stopOverdue();
    } catch (error) {
      this.logger.warn({ err: error }, 'Overdue jobs could not be stopped; retrying');
    }
    return POLL_MS;
  }

  private async stopOverdue(): Promise<void> {
    const overdue = await timeOutJobs(this.database, BATCH);
    for (const job of await this.records.listByIds(overdue)) await this.endings.stop(job);
  }
}

import { Injectable } from '@nestjs/common';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { BackgroundDatabase } from '../../infra/database/database.ts';
import { PollWorker } from '../../infra/database/poll-worker.ts';
import { JobEndingsService } from './job-endings.service.ts';
import { JOBS_OVERDUE, timeOutJobs } from '../queue/job-queue.store.ts';
import { JobRecordsService } from '../records/job-records.service.ts';

const POLL_MS = 500;
const BATCH = 100;

/** Stops jobs that time out. It polls, because hints may be delayed by others. */
@Injectable()
export class JobDeadlinesWorker extends PollWorker {
  constructor(
    config: PlatformConfig,
    private readonly database: BackgroundDatabase,
    private readonly records: JobRecordsService,
    private readonly endings: JobEndingsService,
  ) {
    super(config, { failure: 'Overdue jobs could not be stopped', retryMs: POLL_MS });
  }

  protected async poll(): Promise<number> {
    if (await this.database.hasRows(JOBS_OVERDUE)) await this.stopOverdue();
    return POLL_MS;
  }

  private async stopOverdue(): Promise<void> {
    const overdue = await timeOutJobs(this.database, BATCH);
    for (const job of await this.records.listByIds(overdue)) await this.endings.stop(job);
  }
}

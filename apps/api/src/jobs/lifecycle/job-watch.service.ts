import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import type { Job } from '@platform/contracts';
import { JobRecordsService, type JobRow } from '../records/job-records.service.ts';
import { JobViewsService } from '../records/job-views.service.ts';

const POLL_MS = 250;

interface Waiter {
  jobId: string;
  known: string;
  wake: () => void;
}

/** Waits for changes of jobs: one statement per poll and process, however many callers wait. */
@Injectable()
export class JobWatchService implements BeforeApplicationShutdown {
  private readonly logger = new Logger(JobWatchService.name);
  private readonly waiters = new Set<Waiter>();
  private polling = false;
  private stopping = false;

  constructor(
    private readonly records: JobRecordsService,
    private readonly views: JobViewsService,
  ) {}

  /** Resolves when the job differs from what was read, or when the signal aborts. */
  async waitForChange(row: JobRow, job: Job, signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.stopping) return;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const wake = () => resolve(undefined);
    const waiter = { jobId: job.id, known: fingerprint(row, job), wake };
    this.waiters.add(waiter);
    signal.addEventListener('abort', wake, { once: true });
    if (!this.polling) void this.poll();
    await promise;
    signal.removeEventListener('abort', wake);
    this.waiters.delete(waiter);
  }

  /** Whether the process is shutting down. */
  get isClosed(): boolean {
    return this.stopping;
  }

  /** Waiting callers receive the current state. */
  beforeApplicationShutdown(): void {
    this.stopping = true;
    for (const { wake } of this.waiters) wake();
    this.waiters.clear();
  }

  private async poll(): Promise<void> {
    this.polling = true;
    while (this.waiters.size > 0) {
      await delay(POLL_MS, undefined, { ref: false });
      try {
        await this.check();
      } catch (error) {
        this.logger.warn({ err: error }, 'Watched jobs could not be read; retrying');
      }
    }
    this.polling = false;
  }

  private async check(): Promise<void> {
    const ids = new Set([...this.waiters].map(({ jobId }) => jobId));
    const found = await this.records.listByIds([...ids]);
    const jobs = await this.views.describeAll(found);
    const fingerprints = new Map(
      jobs.flatMap((job, i) => (found[i] ? [[job.id, fingerprint(found[i], job)]] : [])),
    );
    for (const { jobId, known, wake } of this.waiters) if (fingerprints.get(jobId) !== known) wake();
  }
}

/** Everything that a poll sees of a job. The result changes only together with the status, and the input never. */
function fingerprint({ changes }: JobRow, job: Job): string {
  return JSON.stringify([changes, { ...job, result: undefined, input: undefined }]);
}

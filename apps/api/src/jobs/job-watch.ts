import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import type { Job } from '@platform/contracts';
import { JobRecords, type JobRow } from './job-records.ts';
import { JobViews } from './job-views.ts';

const POLL_MS = 250;

interface Waiter {
  jobId: string;
  known: string;
  wake: () => void;
}

/** Lets callers wait until jobs change: one look at the database per poll and process, however many wait. */
@Injectable()
export class JobWatch implements BeforeApplicationShutdown {
  private readonly logger = new Logger(JobWatch.name);
  private readonly waiters = new Set<Waiter>();
  private polling = false;
  private stopping = false;

  constructor(
    private readonly records: JobRecords,
    private readonly views: JobViews,
  ) {}

  /** Resolves once the job stands otherwise than it was read, or the signal aborts. */
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

  /** Whether nobody is to wait any more. */
  get isClosed(): boolean {
    return this.stopping;
  }

  /** Whoever waits is answered how things stand. */
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
        this.logger.warn({ err: error }, 'Jobs that are waited for could not be looked at; trying again');
      }
    }
    this.polling = false;
  }

  private async check(): Promise<void> {
    const ids = new Set([...this.waiters].map(({ jobId }) => jobId));
    const found = await this.records.listByIds([...ids]);
    const jobs = await this.views.describeAll(found);
    const standings = new Map(
      jobs.flatMap((job, i) => (found[i] ? [[job.id, fingerprint(found[i], job)]] : [])),
    );
    for (const { jobId, known, wake } of this.waiters) if (standings.get(jobId) !== known) wake();
  }
}

/** All that a poll can see of a job; its result changes with its status alone. */
function fingerprint({ changes }: JobRow, job: Job): string {
  return JSON.stringify([changes, { ...job, result: undefined }]);
}

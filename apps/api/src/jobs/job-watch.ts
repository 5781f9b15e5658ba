import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import type { Job } from '@platform/contracts';
import { DataSource } from 'typeorm';
import { standing } from './job-state.ts';
import { JobViews } from './job-views.ts';
import { jobsByIds } from './jobs.store.ts';

const POLL_MS = 250;

interface Waiter {
  jobId: string;
  known: string;
  wake: () => void;
}

/** Lets callers wait for news of jobs: one look at the database per poll and process, however many wait. */
@Injectable()
export class JobWatch implements BeforeApplicationShutdown {
  private readonly logger = new Logger(JobWatch.name);
  private readonly waiters = new Set<Waiter>();
  private polling = false;

  constructor(
    private readonly database: DataSource,
    private readonly views: JobViews,
  ) {}

  /** Resolves once status, phase or progress differ from what is known, or the signal aborts. */
  async change(known: Job, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const wake = () => resolve(undefined);
    const waiter = { jobId: known.id, known: standing(known), wake };
    this.waiters.add(waiter);
    signal.addEventListener('abort', wake, { once: true });
    if (!this.polling) void this.poll();
    await promise;
    signal.removeEventListener('abort', wake);
    this.waiters.delete(waiter);
  }

  /** Whoever waits is answered how things stand. */
  beforeApplicationShutdown(): void {
    for (const { wake } of this.waiters) wake();
    this.waiters.clear();
  }

  private async poll(): Promise<void> {
    this.polling = true;
    while (this.waiters.size > 0) {
      await delay(POLL_MS, undefined, { ref: false });
      try {
        await this.look();
      } catch (error) {
        this.logger.warn({ err: error }, 'Jobs that are waited for could not be looked at; trying again');
      }
    }
    this.polling = false;
  }

  private async look(): Promise<void> {
    const ids = new Set([...this.waiters].map(({ jobId }) => jobId));
    const jobs = await this.views.of(await jobsByIds(this.database, [...ids]));
    const standings = new Map(jobs.map((job) => [job.id, standing(job)]));
    for (const { jobId, known, wake } of this.waiters) if (standings.get(jobId) !== known) wake();
  }
}

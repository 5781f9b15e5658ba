import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Messaging } from '../infra/messaging/messaging.ts';
import { BackgroundTurns } from '../turns/lifecycle/background-turns.service.ts';
import type { JobRow } from './job-records.ts';
import { closeJob, postpone } from './job-queue.store.ts';
import { JobViews } from './job-views.ts';
import { endInterrupted, requestCancel } from './jobs.store.ts';
import { Webhooks } from './webhooks.service.ts';

const TIMED_OUT = { code: 'TIMED_OUT', message: 'The time of the job was over', retryable: false };

/** How jobs end: stopped by their user or their time, and told of by their webhooks. */
@Injectable()
export class JobEndings {
  constructor(
    private readonly database: DataSource,
    private readonly messaging: Messaging,
    private readonly turns: BackgroundTurns,
    private readonly views: JobViews,
    private readonly webhooks: Webhooks,
  ) {}

  /** Asks the job to stop; what has ended stays as it is. */
  async cancel(job: JobRow): Promise<void> {
    if (!(await requestCancel(this.database, job.id))) return;
    await this.stop({ ...job, cancelRequested: true });
    await this.messaging.publish('job', [job.id]);
  }

  /** Stops a job that is to be stopped; false if its turn has been told to and is still running. */
  async stop(job: JobRow): Promise<boolean> {
    const { id, turn } = job;
    const found = (await this.turns.byIds([turn.id])).get(turn.id) ?? turn;
    const outcome = await this.turns.stop(found, job.timedOut ? TIMED_OUT : undefined);
    // A turn that was interrupted is not claimed again, so nothing else will end its job.
    if (outcome === 'failed')
      await endInterrupted(this.database, id, job.cancelRequested ? 'CANCELLED' : 'TIMED_OUT', found);
    return outcome !== 'cancelling';
  }

  /** Takes note of an end, or of a question, together with the webhook that tells it. */
  async reportState(row: JobRow, move: 'report' | 'close'): Promise<void> {
    const { id, changes, webhookUrl: url, turn } = row;
    const job = url === null ? null : await this.views.describe(row);
    const segment = (await this.turns.extents([turn.id])).get(turn.id)?.segment ?? 0;
    const delivery = await this.database.transaction(async (tx) => {
      if (move === 'report') await postpone(tx, id, changes);
      else if (!(await closeJob(tx, id))) return null;
      if (url === null || job === null) return null;
      const about = { spaceId: row.spaceId, url, segment };
      return this.webhooks.store(tx, about, job, row.finishedAt ?? turn.finishedAt ?? turn.createdAt);
    });
    if (delivery !== null) await this.webhooks.publish(delivery);
  }
}

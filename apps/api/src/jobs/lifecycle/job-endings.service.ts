import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../infra/database/database.ts';
import { Messaging } from '../../infra/messaging/messaging.ts';
import { BackgroundTurnsService } from '../../turns/lifecycle/background-turns.service.ts';
import type { JobRow } from '../records/job-records.service.ts';
import { closeJob, postpone } from '../queue/job-queue.store.ts';
import { JobViewsService } from '../records/job-views.service.ts';
import { endInterrupted, findJobByTurn, requestCancel } from '../records/jobs.store.ts';
import { WebhooksService } from '../webhooks/webhooks.service.ts';

const TIMED_OUT = { code: 'TIMED_OUT', message: 'The job timed out', retryable: false };

/** Stops jobs, and stores their ends together with the webhooks that report them. */
@Injectable()
export class JobEndingsService implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly messaging: Messaging,
    private readonly turns: BackgroundTurnsService,
    private readonly views: JobViewsService,
    private readonly webhooks: WebhooksService,
  ) {}

  onModuleInit(): void {
    this.turns.onCancelOfFailed(async (turn) => {
      const job = await findJobByTurn(this.database.manager, turn.spaceId, turn.id);
      if (job !== null) await this.cancel({ ...job, turn });
    });
  }

  /** Requests the cancellation of a job; has no effect if it has ended. */
  async cancel(job: JobRow): Promise<void> {
    if (!(await requestCancel(this.database, job.id))) return;
    await this.stop({ ...job, cancelRequested: true });
    await this.messaging.publish('job', [job.id]);
  }

  /** Stops a canceled or timed-out job. Returns false if its turn is still running after the cancel request. */
  async stop(job: JobRow): Promise<boolean> {
    const { id, turn } = job;
    const found = (await this.turns.byIds([turn.id])).get(turn.id) ?? turn;
    const outcome = await this.turns.stop(found, job.timedOut ? TIMED_OUT : undefined);
    // An interrupted turn is not claimed again, so nothing else ends its job.
    if (outcome === 'failed')
      await endInterrupted(this.database, id, job.cancelRequested ? 'CANCELLED' : 'TIMED_OUT', found);
    return outcome !== 'cancelling';
  }

  /** Stores an end or a question together with the webhook that reports it. */
  async reportState(row: JobRow, move: 'report' | 'close'): Promise<void> {
    const { id, changes, webhookUrl: url, turn } = row;
    const job = url === null ? null : await this.views.describe(row);
    const segment = (await this.turns.extents([turn.id])).get(turn.id)?.segment ?? 0;
    const delivery = await this.database.transaction(async (tx) => {
      // A question that was answered meanwhile would take the place of the next one, because `segment` is already that one's.
      const isCurrent = move === 'report' ? await postpone(tx, id, changes) : await closeJob(tx, id);
      if (!isCurrent) return null;
      if (url === null || job === null) return null;
      const about = { spaceId: row.spaceId, url, segment };
      return this.webhooks.store(tx, about, job, row.finishedAt ?? turn.finishedAt ?? turn.createdAt);
    });
    if (delivery !== null) await this.webhooks.publish(delivery);
  }
}

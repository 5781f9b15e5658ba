import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Batched } from '../../infra/database/batched.ts';
import { BackgroundDatabase } from '../../infra/database/database.ts';
import { Messaging } from '../../infra/messaging/messaging.ts';
import { OutboxPublishersRegistry } from '../../infra/messaging/outbox-publishers.registry.ts';
import { JobEndingsService } from './job-endings.service.ts';
import * as queue from '../queue/job-queue.store.ts';
import { JobRecordsService, type JobRow } from '../records/job-records.service.ts';
import { JobStarterWorker } from '../queue/job-starter.worker.ts';
import { nextMove } from '../records/job-state.ts';

/** How many hints are handled at the same time. Each takes a few short statements, and they share one for reading. */
const CONCURRENCY = 50;
/** A stopped job is read again, several times if others change it meanwhile. */
const MAX_MOVES = 5;

/** Handles hints: reads the job and does what is due, which is to queue, stop, report, or close it. */
@Injectable()
export class JobWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly underWay = new Set<Promise<void>>();
  private readonly reads: Batched<string, JobRow | null>;
  private stopping = false;

  constructor(
    private readonly database: BackgroundDatabase,
    private readonly messaging: Messaging,
    private readonly outbox: OutboxPublishersRegistry,
    private readonly starter: JobStarterWorker,
    private readonly endings: JobEndingsService,
    records: JobRecordsService,
  ) {
    this.reads = new Batched((ids) => records.findOpen(ids));
  }

  onApplicationBootstrap(): void {
    this.messaging.consume('job', (id) => this.track(this.advance(id)), { concurrency: CONCURRENCY });
    this.outbox.register({
      kind: 'job',
      isAnyDue: () => this.database.hasRows(queue.JOBS_DUE),
      takeDue: (limit) => queue.takeDueJobs(this.database, limit, this.messaging.pace.republishAfterMs),
      expedite: (limit) => queue.expediteJobs(this.database, limit),
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    await Promise.allSettled(this.underWay);
  }

  private async advance(id: string): Promise<void> {
    for (let reads = 0; reads < MAX_MOVES && !this.stopping; reads++) {
      const job = await this.reads.get(id);
      if (job === null) return;
      const stopping = job.cancelRequested || job.timedOut;
      const move = nextMove({ status: job.status, turnStatus: job.turn.status, stopping });
      switch (move) {
        case 'enqueue':
          return this.enqueue(job);
        case 'stop':
          if (await this.endings.stop(job)) break;
          await queue.postpone(this.database, id, job.changes);
          return;
        case 'wait':
          await queue.postpone(this.database, id, job.changes);
          return;
        case 'report':
        case 'close':
          return this.endings.reportState(job, move);
      }
    }
  }

  private async enqueue({ id, queueState, changes }: JobRow): Promise<void> {
    const waits = queueState === 'READY' || queueState === 'STARTING';
    if (waits || (await queue.enqueue(this.database, id, changes))) this.starter.wake();
  }

  private async track(work: Promise<void>): Promise<void> {
    this.underWay.add(work);
    await work.finally(() => this.underWay.delete(work));
  }
}

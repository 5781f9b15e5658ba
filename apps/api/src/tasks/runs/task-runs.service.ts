import { Injectable } from '@nestjs/common';
import type { CancelledRuns, RunStatus } from '@platform/contracts';
import { Database } from '../../infra/database/database.ts';
import { RunCreationService } from './run-creation.service.ts';
import { cancelQueuedOfTask, cancelWaitingOfTask } from '../waits/cancellations.store.ts';
import { FIRST } from './run-queue.store.ts';
import { requestCancelOfRuns } from './task-runs.store.ts';

/** What one statement cancels, and what one request does. */
const BATCH = 500;
const MAX_CANCELLED = 20_000;

/** The runs of a task that is changed. */
@Injectable()
export class TaskRunsService {
  constructor(
    private readonly database: Database,
    private readonly creation: RunCreationService,
  ) {}

  /** Starts waiting runs of a task that has changed: it may be enabled now, or have more slots than before. */
  async publishReady(taskId: string): Promise<void> {
    await this.creation.publish([taskId]);
  }

  /** Cancels the runs of a task that wait or execute; with a status, only those. One call cancels a bounded number. */
  async cancel(taskId: string, status: RunStatus | null): Promise<CancelledRuns> {
    let [cancelled, requested] = [0, 0];
    for (;;) {
      const pass = await this.cancelFound(taskId, status, MAX_CANCELLED - cancelled);
      cancelled += pass.cancelled;
      requested += pass.requested;
      const { isAnyLeft } = pass;
      // Meanwhile, a run that executed may have begun to wait, and one that waited may execute.
      if (status !== null || isAnyLeft || pass.cancelled + pass.requested === 0)
        return { cancelled, requested, isAnyLeft };
    }
  }

  private async cancelFound(taskId: string, status: RunStatus | null, limit: number): Promise<CancelledRuns> {
    let cancelled = 0;
    let isAnyLeft = false;
    if (status !== 'RUNNING')
      for (let count = BATCH; count === BATCH && !isAnyLeft;) {
        count = await this.database.transaction((tx) => cancelQueuedOfTask(tx, taskId, BATCH));
        cancelled += count;
        isAnyLeft = cancelled >= limit;
      }
    for (let after = status === null ? FIRST : null; after !== null && !isAnyLeft;) {
      const position: string = after;
      const page = await this.database.transaction((tx) => cancelWaitingOfTask(tx, taskId, position, BATCH));
      cancelled += page.cancelled;
      after = page.last;
      isAnyLeft = cancelled >= limit;
    }
    // After those that wait: otherwise they would take the free slots. The processes that execute them poll for it.
    const requested = status === 'QUEUED' ? 0 : (await requestCancelOfRuns(this.database, taskId)).length;
    return { cancelled, requested, isAnyLeft };
  }
}

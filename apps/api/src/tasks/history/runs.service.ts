import { Injectable } from '@nestjs/common';
import type { Run } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Database } from '../../infra/database/database.ts';
import { conflict } from '../../infra/errors/app-error.ts';
import { extendChain, taskEntry } from '../runs/lineage.ts';
import { RunCreationService } from '../runs/run-creation.service.ts';
import { RunLeasesWorker } from '../execution/run-leases.worker.ts';
import { RunEventsRegistry } from './run-events.registry.ts';
import { RunRecordsService } from './run-records.service.ts';
import { cancelQueued, findLineage, findRun, requestCancel } from '../runs/runs.store.ts';
import { startDespiteDisabled } from '../runs/task-runs.store.ts';
import { assertManaged } from '../definition/task-access.ts';
import { getSharedTask } from '../definition/tasks.store.ts';

/** Starts, cancels, and retries runs for people. */
@Injectable()
export class RunsService {
  constructor(
    private readonly database: Database,
    private readonly creation: RunCreationService,
    private readonly records: RunRecordsService,
    private readonly leases: RunLeasesWorker,
    private readonly events: RunEventsRegistry,
  ) {}

  /**
   * Starts a run by hand, also of a task that is disabled. It acts as the owner of the task. Throws CONFLICT if the call is
   * of a run in whose chain the task is already.
   */
  async start(caller: UserPrincipal, taskId: string, inputs: Record<string, unknown>): Promise<Run> {
    const { spaceId, causationRunId } = caller;
    const create = async (tx: EntityManager) => {
      const { ownerUserId, enabled } = assertManaged(caller, await getSharedTask(tx, spaceId, taskId));
      const origin = 'MANUAL';
      const cause = causationRunId === null ? null : await findLineage(tx, spaceId, causationRunId);
      // A loop through a tool that starts tasks is still one.
      const chain = cause && {
        rootId: cause.rootId,
        ...extendChain(cause, taskEntry(taskId), `Task ${taskId}`),
      };
      const run = { spaceId, taskId, ownerUserId, origin, inputs, chain } as const;
      const id = await this.creation.createManualRun(tx, run);
      if (!enabled) await startDespiteDisabled(tx, id);
      return id;
    };
    const committed = async (id: string) => (await findRun(this.database, spaceId, id)) !== null;
    const id = await this.database.transaction(create, { committed });
    await this.creation.publish([id]);
    return this.get(caller, id);
  }

  async get(caller: UserPrincipal, id: string): Promise<Run> {
    return this.records.describe(await this.records.get(caller, id));
  }

  /** Cancels a queued run at once, and requests it of a running one. Does nothing to a run that has ended. */
  async cancel(caller: UserPrincipal, id: string): Promise<Run> {
    let { status } = await this.records.get(caller, id);
    while (status === 'QUEUED' || status === 'RUNNING') {
      if (await cancelQueued(this.database, id)) break;
      if (await requestCancel(this.database, id)) {
        this.leases.cancel(id);
        break;
      }
      // It has changed in between.
      ({ status } = await this.records.get(caller, id));
    }
    return this.get(caller, id);
  }

  /** Adds an attempt to a run that failed, was cancelled, or was interrupted. */
  async retry(caller: UserPrincipal, id: string): Promise<Run> {
    const { taskId, attempt } = await this.records.get(caller, id);
    const queue = async (tx: EntityManager) => {
      const { enabled } = await getSharedTask(tx, caller.spaceId, taskId);
      const isQueued = await this.creation.retry(tx, id, attempt);
      if (isQueued && !enabled) await startDespiteDisabled(tx, id);
      if (isQueued) await this.countAgain(tx, caller.spaceId, id);
      return isQueued;
    };
    const committed = async () => (await this.records.get(caller, id)).attempt > attempt;
    const isQueued = await this.database.transaction(queue, { committed });
    if (!isQueued) {
      const { status, erasedAt } = await this.records.get(caller, id);
      if (erasedAt !== null)
        throw conflict(`The payload of run ${id} was erased, so it cannot be attempted again`);
      throw conflict(
        `Run ${id} is ${status}: only runs that are FAILED, CANCELLED, or INTERRUPTED are retried`,
      );
    }
    await this.creation.publish([id]);
    return this.get(caller, id);
  }

  private async countAgain(tx: EntityManager, spaceId: string, id: string): Promise<void> {
    const lineage = await findLineage(tx, spaceId, id);
    const event = lineage?.envelopeId ? lineage.path?.at(-1) : undefined;
    if (event !== undefined) await this.events.countAgain(tx, { id, spaceId, event });
  }
}

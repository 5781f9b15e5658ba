import { Injectable } from '@nestjs/common';
import type { Page, Run } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Database } from '../../infra/database/database.ts';
import { conflict } from '../../infra/errors/app-error.ts';
import { Cursors } from '../../infra/requests/cursors.ts';
import { RunCreationService } from '../runs/run-creation.service.ts';
import { RunLeasesWorker } from '../execution/run-leases.worker.ts';
import { RunRecordsService } from './run-records.service.ts';
import { toRun } from './run-responses.ts';
import type { RunQueryDto } from './runs.dto.ts';
import { cancelQueued, findLineage, findRun, requestCancel, type RunScope } from '../runs/runs.store.ts';
import { assertManaged } from '../definition/task-access.ts';
import { getSharedTask, getTask } from '../definition/tasks.store.ts';

/** Starts, lists, cancels, and retries runs for people. */
@Injectable()
export class RunsService {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly creation: RunCreationService,
    private readonly records: RunRecordsService,
    private readonly leases: RunLeasesWorker,
  ) {}

  /** Starts a run by hand, also of a task that is disabled. It acts as the owner of the task. */
  async start(caller: UserPrincipal, taskId: string, inputs: Record<string, unknown>): Promise<Run> {
    const { spaceId, causationRunId } = caller;
    const create = async (tx: EntityManager) => {
      const { ownerUserId } = assertManaged(caller, await getSharedTask(tx, spaceId, taskId));
      const origin = 'MANUAL';
      // A loop through a tool that starts tasks is still one.
      const cause = causationRunId === null ? null : await findLineage(tx, spaceId, causationRunId);
      return this.creation.createManualRun(tx, { spaceId, taskId, ownerUserId, origin, inputs, cause });
    };
    const committed = async (id: string) => (await findRun(this.database, spaceId, id)) !== null;
    const id = await this.database.transaction(create, { committed });
    await this.creation.publish([id]);
    return this.get(caller, id);
  }

  /** Lists the runs of the caller's tasks; for admins, of all tasks of the space. */
  list(caller: UserPrincipal, query: RunQueryDto): Promise<Page<Run>> {
    const { spaceId, userId, role } = caller;
    return this.page(role === 'ADMIN' ? { spaceId } : { spaceId, ownerUserId: userId }, query);
  }

  async listOfTask(caller: UserPrincipal, taskId: string, query: RunQueryDto): Promise<Page<Run>> {
    const { spaceId } = caller;
    assertManaged(caller, await getTask(this.database.manager, spaceId, taskId));
    return this.page({ spaceId, taskId }, query);
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
      await getSharedTask(tx, caller.spaceId, taskId);
      return this.creation.retry(tx, id, attempt);
    };
    const committed = async () => (await this.records.get(caller, id)).attempt > attempt;
    const isQueued = await this.database.transaction(queue, { committed });
    if (!isQueued) {
      const { status } = await this.records.get(caller, id);
      throw conflict(
        `Run ${id} is ${status}: only runs that are FAILED, CANCELLED, or INTERRUPTED are retried`,
      );
    }
    await this.creation.publish([id]);
    return this.get(caller, id);
  }

  private async page(scope: RunScope, { limit, cursor, ...query }: RunQueryDto): Promise<Page<Run>> {
    const status = query.status ?? null;
    const filter = { runsOf: scope, status };
    const below = this.cursors.idAfter(cursor, filter);
    const found = await this.records.list(scope, status, below, limit + 1);
    return this.cursors.page(found, limit, filter, ({ id }) => [id], toRun);
  }
}

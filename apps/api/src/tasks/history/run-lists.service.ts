import { Injectable } from '@nestjs/common';
import type { Page, RunListing } from '@platform/contracts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Database } from '../../infra/database/database.ts';
import { Cursors } from '../../infra/requests/cursors.ts';
import { parseInstant } from '../../infra/requests/instant.ts';
import { assertManaged } from '../definition/task-access.ts';
import { getTask } from '../definition/tasks.store.ts';
import { RunEventsRegistry } from './run-events.registry.ts';
import { findRuns, listRuns } from './run-list.store.ts';
import { toRunListing } from './run-responses.ts';
import type { RunQueryDto, TaskRunQueryDto } from './runs.dto.ts';

/** Lists runs for people. */
@Injectable()
export class RunListsService {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly events: RunEventsRegistry,
  ) {}

  /** Lists the runs of the caller's tasks; for admins, of all tasks of the space. */
  async list({ spaceId, userId, role }: UserPrincipal, query: RunQueryDto): Promise<Page<RunListing>> {
    const { ownerUserId } = query;
    if (role === 'ADMIN') return this.page(spaceId, query);
    // Runs of others are as if they did not exist.
    if (ownerUserId !== undefined && ownerUserId !== userId) return { items: [], nextCursor: null };
    return this.page(spaceId, { ...query, ownerUserId: userId });
  }

  async listOfTask(caller: UserPrincipal, taskId: string, query: TaskRunQueryDto): Promise<Page<RunListing>> {
    const { spaceId } = caller;
    assertManaged(caller, await getTask(this.database.manager, spaceId, taskId));
    return this.page(spaceId, { ...query, taskId });
  }

  private async page(spaceId: string, { limit, cursor, ...query }: RunQueryDto): Promise<Page<RunListing>> {
    const { taskId, ownerUserId, origin, status, applicationIdentifier, event, from, to } = query;
    const key = {
      runsOf: spaceId,
      taskId,
      ownerUserId,
      origin,
      status,
      applicationIdentifier,
      event,
      from,
      to,
    };
    const below = this.cursors.idAfter(cursor, key);
    const events = await this.events.select(this.database, spaceId, { applicationIdentifier, event });
    if (events?.length === 0) return { items: [], nextCursor: null };
    const filter = {
      spaceId,
      taskId: taskId ?? null,
      events,
      ownerUserId: ownerUserId ?? null,
      origin: origin ?? null,
      status: status ?? null,
      from: parseInstant(from),
      to: parseInstant(to),
    };
    const { ids, scannedTo } = await this.database.transaction((tx) =>
      findRuns(tx, filter, below, limit + 1),
    );
    const kept = ids.slice(0, limit);
    const end = ids.length > limit ? (kept.at(-1) ?? null) : scannedTo;
    const found = await listRuns(this.database, spaceId, kept);
    return {
      items: found.map(toRunListing),
      nextCursor: end === null ? null : this.cursors.encode([end], key),
    };
  }
}

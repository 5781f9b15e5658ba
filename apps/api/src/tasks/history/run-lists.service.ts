import { Injectable } from '@nestjs/common';
import type { RunPage } from '@platform/contracts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Database } from '../../infra/database/database.ts';
import { Cursors } from '../../infra/requests/cursors.ts';
import { timeOfId } from '../../infra/requests/instant.ts';
import { assertManaged } from '../definition/task-access.ts';
import { getTask } from '../definition/tasks.store.ts';
import { listRuns } from './run-list.store.ts';
import { toRunListing } from './run-responses.ts';
import { RunSearchService, type RunSearch } from './run-search.service.ts';
import type { RunQueryDto, TaskRunQueryDto } from './runs.dto.ts';

/** Lists runs for people. */
@Injectable()
export class RunListsService {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly search: RunSearchService,
  ) {}

  /** Lists the runs of the caller's tasks; for admins, of all tasks of the space. */
  list(caller: UserPrincipal, query: RunQueryDto): Promise<RunPage> {
    // Runs of others are as if they did not exist.
    return this.page(caller.spaceId, query, (search) => this.search.restrict(caller, search));
  }

  async listOfTask(caller: UserPrincipal, taskId: string, query: TaskRunQueryDto): Promise<RunPage> {
    const { spaceId } = caller;
    assertManaged(caller, await getTask(this.database.manager, spaceId, taskId));
    return this.page(spaceId, { ...query, taskId }, (search) => search);
  }

  private async page(
    spaceId: string,
    { limit, cursor, ...query }: RunQueryDto,
    restrict: (search: RunSearch) => RunSearch | null,
  ): Promise<RunPage> {
    const { taskId, ownerUserId, origin, applicationIdentifier, event, errorCode, text, from, to } = query;
    const { status, failure, dismissed, isTest = 'false' } = query;
    const selected = { taskId, ownerUserId, origin, applicationIdentifier, event, errorCode, text, from, to };
    const key = { runsOf: spaceId, ...selected, status, failure, dismissed, isTest };
    const search = restrict({
      ...selected,
      statuses: status === undefined ? null : [status],
      failures: failure === undefined ? null : [failure],
      isDismissed: dismissed === undefined ? null : dismissed === 'true',
      areTests: isTest === 'true',
    });
    const after = this.cursors.idAfter(cursor, key);
    const scan = { after, order: 'desc', limit: limit + 1 } as const;
    const { ids, scannedTo, searched } = await this.search.find(spaceId, search, scan);
    const kept = ids.slice(0, limit);
    const end = ids.length > limit ? (kept.at(-1) ?? null) : scannedTo;
    const found = await listRuns(this.database, spaceId, kept);
    return {
      items: found.map(toRunListing),
      nextCursor: end === null ? null : this.cursors.encode([end], key),
      ...(searched !== null && { searched: toSearched(searched, end) }),
    };
  }
}

/** How far a bounded search came, down to the run where it ended. */
export function toSearched(runs: number, end: string | null): { runs: number; to: string | null } {
  return { runs, to: end === null ? null : new Date(timeOfId(end)).toISOString() };
}

import { Injectable } from '@nestjs/common';
import type { Page, ScheduledTime } from '@platform/contracts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Database } from '../../infra/database/database.ts';
import { Cursors } from '../../infra/requests/cursors.ts';
import { assertManaged } from '../definition/task-access.ts';
import { getTask } from '../definition/tasks.store.ts';
import type { PageDto } from '../../infra/requests/page.dto.ts';
import { listScheduledRuns } from './schedules.store.ts';

/** Shows what became of the due times of schedules. */
@Injectable()
export class SchedulesService {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
  ) {}

  async listTimes(
    caller: UserPrincipal,
    taskId: string,
    { limit, cursor }: PageDto,
  ): Promise<Page<ScheduledTime>> {
    const { id } = assertManaged(caller, await getTask(this.database.manager, caller.spaceId, taskId));
    const filter = { timesOf: id };
    const [before] = this.cursors.decode(cursor, filter) ?? [];
    const found = await listScheduledRuns(
      this.database.manager,
      id,
      before === undefined ? null : new Date(before),
      limit + 1,
    );
    return this.cursors.page(
      found,
      limit,
      filter,
      ({ dueAt }) => [dueAt.toISOString()],
      ({ dueAt, outcome, runId, waitsFor, missed }) => ({
        dueAt: dueAt.toISOString(),
        outcome,
        runId,
        waitsFor,
        missed,
      }),
    );
  }
}

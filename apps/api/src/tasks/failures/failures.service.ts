import { Injectable } from '@nestjs/common';
import type { Failure, Failures } from '@platform/contracts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Database } from '../../infra/database/database.ts';
import { toSearched } from '../history/run-lists.service.ts';
import { RunSearchService } from '../history/run-search.service.ts';
import type { FailureQueryDto } from './failures.dto.ts';
import { groupFailures, type FailureRow } from './failures.store.ts';

/** How many failures are grouped. */
const MAX_RUNS = 10_000;
const MAX_GROUPS = 200;

@Injectable()
export class FailuresService {
  constructor(
    private readonly database: Database,
    private readonly search: RunSearchService,
  ) {}

  /** Groups what failed in the caller's tasks, for admins in all tasks of the space, and was not dismissed. */
  async list(caller: UserPrincipal, query: FailureQueryDto): Promise<Failures> {
    const search = this.search.restrict(caller, {
      ...query,
      statuses: ['FAILED', 'INTERRUPTED'],
      failures: null,
      isDismissed: false,
    });
    const scan = { after: null, order: 'desc', limit: MAX_RUNS + 1 } as const;
    const { ids, scannedTo } = await this.search.find(caller.spaceId, search, scan);
    const looked = ids.slice(0, MAX_RUNS);
    const end = ids.length > MAX_RUNS ? (looked.at(-1) ?? null) : scannedTo;
    const groups = await groupFailures(this.database, caller.spaceId, looked, MAX_GROUPS + 1);
    return {
      items: groups.slice(0, MAX_GROUPS).map(toFailure),
      isLimited: groups.length > MAX_GROUPS,
      searched: toSearched(looked.length, end),
    };
  }
}

function toFailure({ code, message, firstAt, lastAt, ...row }: FailureRow): Failure {
  const { id, taskId, taskName, stepId, count, runId } = row;
  return {
    id,
    taskId,
    taskName,
    stepId,
    code: code ?? '',
    message: message ?? '',
    count,
    firstAt: firstAt.toISOString(),
    lastAt: lastAt.toISOString(),
    runId,
  };
}

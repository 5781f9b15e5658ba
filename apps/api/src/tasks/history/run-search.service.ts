import { Injectable } from '@nestjs/common';
import type { RunStatus } from '@platform/contracts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Database } from '../../infra/database/database.ts';
import { parseInstant } from '../../infra/requests/instant.ts';
import {
  findRuns,
  listRunsWithText,
  listStoredSizes,
  type FoundRuns,
  type RunFilter,
  type RunScan,
} from './run-list.store.ts';
import { RunEventsRegistry } from './run-events.registry.ts';
import type { RunQueryDto } from './runs.dto.ts';

/** How many runs a search by text looks at, */
const CANDIDATES = 1_000;
/** and how much of them it reads, as it is stored. */
const SEARCHED_BYTES = 4 * 1024 * 1024;
/** No other run has an error. */
const WITH_ERRORS: readonly RunStatus[] = ['FAILED', 'CANCELLED', 'INTERRUPTED'];

/** What people look for. */
export type RunSearch = Omit<
  RunQueryDto,
  'limit' | 'cursor' | 'status' | 'failure' | 'dismissed' | 'isTest'
> & {
  statuses: readonly RunStatus[] | null;
  failures: readonly string[] | null;
  isDismissed: boolean | null;
  /** Default: false. */
  areTests?: boolean;
};

export interface SearchedRuns extends FoundRuns {
  /** How many runs were looked at, if a text was searched; otherwise null. */
  searched: number | null;
}

const NONE: SearchedRuns = { ids: [], scannedTo: null, searched: null };

/** Finds runs, also by what is no column of theirs. */
@Injectable()
export class RunSearchService {
  constructor(
    private readonly database: Database,
    private readonly events: RunEventsRegistry,
  ) {}

  /** Limits a search to the runs of the caller's tasks, unless the caller is an admin. Null: it finds nothing. */
  restrict({ role, userId }: UserPrincipal, search: RunSearch): RunSearch | null {
    if (role === 'ADMIN') return search;
    const { ownerUserId } = search;
    return ownerUserId !== undefined && ownerUserId !== userId ? null : { ...search, ownerUserId: userId };
  }

  async find(spaceId: string, search: RunSearch | null, scan: RunScan): Promise<SearchedRuns> {
    const filter = search && (await this.filterOf(spaceId, search));
    if (filter === null) return NONE;
    const { text } = search ?? {};
    const limit = text === undefined ? scan.limit : CANDIDATES;
    const found = await this.database.transaction((tx) => findRuns(tx, filter, { ...scan, limit }));
    if (text === undefined) return { ...found, searched: null };
    return this.withText(found, text, scan.limit);
  }

  /** Null: no event is selected. */
  private async filterOf(spaceId: string, search: RunSearch): Promise<RunFilter | null> {
    const { taskId, ownerUserId, origin, applicationIdentifier, event, from, to, errorCode } = search;
    const { failures, isDismissed } = search;
    const events = await this.events.select(this.database, spaceId, { applicationIdentifier, event });
    if (events?.length === 0) return null;
    const hasError = errorCode !== undefined || failures !== null;
    return {
      spaceId,
      taskId: taskId ?? null,
      events,
      ownerUserId: ownerUserId ?? null,
      origin: origin ?? null,
      statuses: search.statuses ?? (hasError ? WITH_ERRORS : null),
      errorCode: errorCode ?? null,
      failures,
      isDismissed,
      areTests: search.areTests ?? false,
      from: parseInstant(from),
      to: parseInstant(to),
    };
  }

  private async withText({ ids, scannedTo }: FoundRuns, text: string, limit: number): Promise<SearchedRuns> {
    const sizes = await listStoredSizes(this.database, ids);
    let left = SEARCHED_BYTES;
    // One at least: otherwise the search would never get past it.
    const read = ids.filter((_, i) => (left -= sizes[i] ?? 0) >= 0 || i === 0);
    const matching = await listRunsWithText(this.database, read, text);
    const found = read.filter((id) => matching.has(id));
    const hasMore = read.length < ids.length || ids.length === CANDIDATES;
    const end = hasMore ? (read.at(-1) ?? null) : scannedTo;
    return {
      ids: found.slice(0, limit),
      scannedTo: found.length < limit ? end : null,
      searched: read.length,
    };
  }
}

import { Injectable } from '@nestjs/common';
import type { BulkRunActionKind, BulkRunActionPreview, RunStatus } from '@platform/contracts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Database } from '../../infra/database/database.ts';
import { invalid } from '../../infra/errors/app-error.ts';
import type { FoundRuns, RunScan } from '../history/run-list.store.ts';
import { RunSearchService } from '../history/run-search.service.ts';
import { mayManage } from '../definition/task-access.ts';
import type { BulkRunQuery } from './bulk-run-action.entity.ts';
import { listSelected } from './bulk-run-actions.store.ts';

/** How far runs are counted. */
const COUNT_LIMIT = 10_000;

/** What an action fits, the first ones by default. */
const STATUSES_OF: Record<BulkRunActionKind, { fits: readonly RunStatus[]; default: readonly RunStatus[] }> =
  {
    retry: { fits: ['FAILED', 'INTERRUPTED', 'CANCELLED'], default: ['FAILED', 'INTERRUPTED'] },
    cancel: { fits: ['QUEUED', 'RUNNING', 'WAITING'], default: ['QUEUED', 'RUNNING', 'WAITING'] },
    dismiss: { fits: ['FAILED', 'INTERRUPTED'], default: ['FAILED', 'INTERRUPTED'] },
  };

/** The runs that a bulk action is for. */
@Injectable()
export class RunSelectionService {
  constructor(
    private readonly database: Database,
    private readonly search: RunSearchService,
  ) {}

  /** Throws VALIDATION_ERROR if the action fits no run of the selection. */
  assertFits({ action, select }: BulkRunQuery): void {
    const { status, dismissed, from, to, ids } = select;
    const { fits } = STATUSES_OF[action];
    const others = Object.keys(select).filter((key) => key !== 'ids' && key !== 'status');
    if (ids !== undefined && others.length > 0)
      throw invalid(`select.${others[0]} must not be given together with select.ids`);
    if (status !== undefined && !fits.includes(status))
      throw invalid(`select.status must be one of ${fits.join(', ')} for the action ${action}`);
    if (action === 'dismiss' && dismissed === true)
      throw invalid('select.dismissed must not be true for the action dismiss');
    if (from !== undefined && to !== undefined && new Date(from) >= new Date(to))
      throw invalid('select.to must be later than select.from');
  }

  async count(caller: UserPrincipal, query: BulkRunQuery): Promise<Omit<BulkRunActionPreview, 'runningId'>> {
    const scan = { after: null, order: 'asc', limit: COUNT_LIMIT + 1 } as const;
    const { ids, scannedTo } = await this.findNext(caller, query, new Date(), scan);
    const count = Math.min(ids.length, COUNT_LIMIT);
    return { count, limit: COUNT_LIMIT, isLimited: ids.length > COUNT_LIMIT || scannedTo !== null };
  }

  /** Finds runs that were created before `until`. */
  async findNext(
    caller: UserPrincipal,
    { action, select }: BulkRunQuery,
    until: Date,
    scan: RunScan,
  ): Promise<FoundRuns> {
    const { ids, failures, dismissed, isTest, status, to, ...query } = select;
    const statuses = status === undefined ? STATUSES_OF[action].default : [status];
    if (ids !== undefined) return this.findNamed(caller, ids, statuses, scan);
    const search = this.search.restrict(caller, {
      ...query,
      statuses,
      failures: failures ?? null,
      isDismissed: action === 'dismiss' ? false : (dismissed ?? null),
      areTests: isTest === 'true',
      to: (to !== undefined && new Date(to) < until ? new Date(to) : until).toISOString(),
    });
    return this.search.find(caller.spaceId, search, scan);
  }

  private async findNamed(
    caller: UserPrincipal,
    ids: readonly string[],
    statuses: readonly RunStatus[],
    { after, limit }: RunScan,
  ): Promise<FoundRuns> {
    const selected = await listSelected(this.database, caller.spaceId, ids);
    const found = selected.filter(
      (run) => mayManage(caller, run) && statuses.includes(run.status) && (after === null || run.id > after),
    );
    return { ids: found.slice(0, limit).map(({ id }) => id), scannedTo: null };
  }
}

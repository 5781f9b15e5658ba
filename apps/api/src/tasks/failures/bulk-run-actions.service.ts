import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { BulkRunAction, BulkRunActionPreview, Page } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { recordAudit } from '../../auth/audit/audit.ts';
import type { AuditedCall } from '../../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { listRunningBulkWork, lockBulkStarts, stopBulkWork } from '../../infra/bulk/bulk-work.store.ts';
import { Database } from '../../infra/database/database.ts';
import type { Sql } from '../../infra/database/rows.ts';
import { insertRow } from '../../infra/database/entity-rows.ts';
import { conflict } from '../../infra/errors/app-error.ts';
import { Cursors } from '../../infra/requests/cursors.ts';
import type { PageDto } from '../../infra/requests/page.dto.ts';
import { RunLineageService } from '../runs/run-lineage.service.ts';
import { BulkRunActionEntity, type BulkRunQuery } from './bulk-run-action.entity.ts';
import type { CreateBulkRunActionDto, PreviewBulkRunActionDto } from './bulk-run-actions.dto.ts';
import * as store from './bulk-run-actions.store.ts';
import { BulkRunActionsWorker } from './bulk-run-actions.worker.ts';
import { RunSelectionService } from './run-selection.service.ts';

const DEFAULT_PER_SECOND = 50;
/** What changes only rows needs no pace. */
const DISMISSED_PER_SECOND = 1_000;
/** How many a space may have at the same time: they take turns with those of other spaces. */
const MAX_RUNNING = 20;

/** Retries, cancels, and dismisses many runs for people. */
@Injectable()
export class BulkRunActionsService {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly selection: RunSelectionService,
    private readonly worker: BulkRunActionsWorker,
    private readonly lineage: RunLineageService,
  ) {}

  /** Counts the runs that an action would be for. */
  async preview(caller: UserPrincipal, body: PreviewBulkRunActionDto): Promise<BulkRunActionPreview> {
    const query = toQuery(body);
    this.selection.assertFits(query);
    const counted = await this.selection.count(caller, query);
    const running = await listRunning(this.database, caller.spaceId);
    return { ...counted, runningId: findSame(running, caller, query) };
  }

  /** Begins an action on many runs, oldest first. A worker process executes it. */
  async create({ by, requestId }: AuditedCall, body: CreateBulkRunActionDto): Promise<BulkRunAction> {
    const query = toQuery(body);
    this.selection.assertFits(query);
    await this.assertNotCaused(by);
    const { spaceId, userId } = by;
    const { count } = await this.selection.count(by, query);
    const paced = query.action === 'dismiss' ? DISMISSED_PER_SECOND : DEFAULT_PER_SECOND;
    const create = async (tx: EntityManager) => {
      await lockBulkStarts(tx, store.BULK_RUN_ACTIONS_TABLE, spaceId);
      const running = await listRunning(tx, spaceId);
      if (running.length >= MAX_RUNNING)
        throw conflict(`The space has ${MAX_RUNNING} bulk actions that have not ended: wait, or stop some`);
      const runningId = body.alongside === true ? null : findSame(running, by, query);
      if (runningId !== null)
        throw conflict(
          `Bulk action ${runningId} on the same runs is running: wait for it, stop it, or set alongside`,
        );
      const row = await insertRow(tx, BulkRunActionEntity, {
        spaceId,
        requestedBy: userId,
        query,
        total: count,
        perSecond: body.perSecond ?? paced,
      });
      const details = { operation: query.action, runs: count, ...namedOf(query) };
      const entry = {
        action: 'bulk-run-action.create' as const,
        targetType: 'bulk-run-action',
        targetId: row.id,
      };
      await recordAudit(tx, by, { ...entry, details, requestId });
      return row;
    };
    // A client that repeats the request because of an error would begin another one.
    const committed = ({ id }: BulkRunActionEntity) =>
      this.database.manager.existsBy(BulkRunActionEntity, { spaceId, id });
    const created = await this.database.transaction(create, { committed });
    this.worker.wake();
    return toBulkRunAction(created);
  }

  /** Lists the bulk actions of the caller, for admins of everyone in the space, newest first. */
  async list(caller: UserPrincipal, { limit, cursor }: PageDto): Promise<Page<BulkRunAction>> {
    const scope = scopeOf(caller);
    const filter = { bulkRunActionsOf: scope.spaceId, by: scope.requestedBy };
    const below = this.cursors.idAfter(cursor, filter);
    const fetched = await store.listBulkRunActions(this.database.manager, scope, below, limit + 1);
    return this.cursors.page(fetched, limit, filter, ({ id }) => [id], toBulkRunAction);
  }

  async get(caller: UserPrincipal, id: string): Promise<BulkRunAction> {
    return toBulkRunAction(await store.getBulkRunAction(this.database.manager, scopeOf(caller), id));
  }

  /** Stops a bulk action: when it returns, no further run is changed. */
  async stop({ by, requestId }: AuditedCall, id: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      await store.getBulkRunAction(tx, scopeOf(by), id);
      if (!(await stopBulkWork(tx, store.BULK_RUN_ACTIONS_TABLE, id))) return;
      const entry = { action: 'bulk-run-action.stop' as const, targetType: 'bulk-run-action', targetId: id };
      await recordAudit(tx, by, { ...entry, requestId });
    });
  }

  /** A bulk action has no place in the chain of a run, so a run that is part of one begins none: it could repeat itself. */
  private async assertNotCaused(by: UserPrincipal): Promise<void> {
    const run = await this.lineage.find(this.database, by);
    if (run !== null && run.path !== null)
      throw conflict('A run that an event or another run has started cannot begin a bulk action');
  }
}

type RunningAction = Pick<store.ClaimedBulkRunAction, 'id' | 'requestedBy' | 'query'>;

const listRunning = (sql: Sql, spaceId: string): Promise<RunningAction[]> =>
  listRunningBulkWork<BulkRunQuery>(sql, store.BULK_RUN_ACTIONS_TABLE, spaceId);

/** Returns the running bulk action with the same selection, among those that the caller sees. */
function findSame(
  running: readonly RunningAction[],
  caller: UserPrincipal,
  query: BulkRunQuery,
): string | null {
  const { requestedBy } = scopeOf(caller);
  const seen = running.filter((other) => requestedBy === null || other.requestedBy === requestedBy);
  return seen.find((other) => isDeepStrictEqual(other.query, query))?.id ?? null;
}

const scopeOf = ({ spaceId, role, userId }: UserPrincipal) => ({
  spaceId,
  requestedBy: role === 'ADMIN' ? null : userId,
});

/** In a body, null means absent. */
function toQuery({ action, select }: PreviewBulkRunActionDto): BulkRunQuery {
  const given = Object.entries(select).filter(([, value]) => value != null);
  return { action, select: Object.fromEntries(given) };
}

/** What an audit entry says of a selection: neither its texts nor long lists. */
function namedOf({ select: { text, ids, ...select } }: BulkRunQuery): object {
  return { ...select, ...(ids && { ids: ids.length }), ...(text !== undefined && { text: true }) };
}

function toBulkRunAction(row: BulkRunActionEntity): BulkRunAction {
  const { id, query, status, requestedBy, perSecond, total, changed, refused, lastError } = row;
  return {
    id,
    ...query,
    status,
    requestedBy,
    perSecond,
    total,
    changed,
    refused,
    lastError,
    createdAt: row.createdAt.toISOString(),
    finishedAt: row.finishedAt?.toISOString() ?? null,
  };
}

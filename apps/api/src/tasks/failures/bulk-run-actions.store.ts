import type { RunStatus } from '@platform/contracts';
import { LessThan, Not, type EntityManager } from 'typeorm';
import { missingOrForeign, requireUuid } from '../../auth/principals/resource-scope.ts';
import type { BulkTable, ClaimedBulkWork } from '../../infra/bulk/bulk-work.store.ts';
import { rows, type Sql } from '../../infra/database/rows.ts';
import { BulkRunActionEntity, type BulkRunQuery } from './bulk-run-action.entity.ts';

export const BULK_RUN_ACTIONS_TABLE: BulkTable = { name: 'bulk_run_action', done: 'changed' };

export type ClaimedBulkRunAction = ClaimedBulkWork<BulkRunQuery>;

/** Whose bulk actions a person sees: null for those of everyone in the space. */
interface Scope {
  spaceId: string;
  requestedBy: string | null;
}

const scopeOf = ({ spaceId, requestedBy }: Scope) => ({
  spaceId,
  ...(requestedBy !== null && { requestedBy }),
});

/** Lists bulk actions below an id, newest first. */
export function listBulkRunActions(
  manager: EntityManager,
  scope: Scope,
  below: string | null,
  limit: number,
): Promise<BulkRunActionEntity[]> {
  return manager.find(BulkRunActionEntity, {
    where: { ...scopeOf(scope), ...(below !== null && { id: LessThan(below) }) },
    order: { id: 'DESC' },
    take: limit,
  });
}

export async function getBulkRunAction(
  manager: EntityManager,
  scope: Scope,
  id: string,
): Promise<BulkRunActionEntity> {
  const label = `Bulk action ${id}`;
  requireUuid(id, label);
  const found = await manager.findOneBy(BulkRunActionEntity, { ...scopeOf(scope), id });
  if (found === null)
    throw await missingOrForeign(manager, BulkRunActionEntity, { id, spaceId: Not(scope.spaceId) }, label);
  return found;
}

/** A run that a bulk action has selected, as it is now. */
export interface SelectedRun {
  id: string;
  taskId: string;
  attempt: number;
  taskVersion: number | null;
  status: RunStatus;
  ownerUserId: string;
}

/** Lists runs of a space, oldest first. */
export function listSelected(sql: Sql, spaceId: string, ids: readonly string[]): Promise<SelectedRun[]> {
  return rows(
    sql,
    `select id, task_id, attempt, task_version, status, owner_user_id from run
     where space_id = $1 and id = any($2::uuid[]) order by id`,
    [spaceId, ids],
  );
}

/** Dismisses those of the runs that have failed. Returns their ids. */
export async function dismissRuns(tx: Sql, ids: readonly string[], userId: string): Promise<string[]> {
  const dismissed = await rows<{ id: string }>(
    tx,
    `update run set dismissed_at = clock_timestamp(), dismissed_by = $2 where id = any(array(
       select id from run where id = any($1::uuid[]) and status in ('FAILED', 'INTERRUPTED') and dismissed_at is null
       order by id for update))
     returning id`,
    [ids, userId],
  );
  return dismissed.map(({ id }) => id);
}

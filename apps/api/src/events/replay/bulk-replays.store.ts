import type { BulkReplayStatus, ReplayQuery } from '@platform/contracts';
import { LessThan, Not, type EntityManager } from 'typeorm';
import { missingOrForeign, requireUuid } from '../../auth/principals/resource-scope.ts';
import { exactlyOne, firstRow, rows, type Sql } from '../../infra/database/rows.ts';
import { BulkReplayEntity } from './bulk-replay.entity.ts';

/** How long a worker may take for one batch before another one continues. */
const LEASE = `interval '30 seconds'`;
const CLAIMABLE = `status = 'RUNNING' and (lease_until is null or lease_until < statement_timestamp())`;

/** Has rows if a bulk replay can be claimed. */
export const REPLAYS_WAITING = `select from bulk_replay where ${CLAIMABLE}`;

/** Lists the bulk replays of a space below an id, newest first. */
export function listBulkReplays(
  manager: EntityManager,
  spaceId: string,
  below: string | null,
  limit: number,
): Promise<BulkReplayEntity[]> {
  return manager.find(BulkReplayEntity, {
    where: { spaceId, ...(below !== null && { id: LessThan(below) }) },
    order: { id: 'DESC' },
    take: limit,
  });
}

export async function getBulkReplay(
  manager: EntityManager,
  spaceId: string,
  id: string,
): Promise<BulkReplayEntity> {
  const label = `Bulk replay ${id}`;
  requireUuid(id, label);
  const found = await manager.findOneBy(BulkReplayEntity, { spaceId, id });
  if (found === null)
    throw await missingOrForeign(manager, BulkReplayEntity, { id, spaceId: Not(spaceId) }, label);
  return found;
}

/** Stops a bulk replay. Waits for the batch that a worker is storing; false if it has already ended. */
export async function stopBulkReplay(tx: Sql, id: string): Promise<boolean> {
  const stopped = await rows(
    tx,
    `update bulk_replay set status = 'STOPPED', finished_at = clock_timestamp(), lease_until = null
     where id = $1 and status = 'RUNNING' returning id`,
    [id],
  );
  return stopped.length > 0;
}

/** A bulk replay that a worker executes. */
export interface ClaimedBulkReplay {
  id: string;
  spaceId: string;
  requestedBy: string;
  query: ReplayQuery;
  perSecond: number;
  createdAt: Date;
  /** The last envelope that was handled. */
  position: string | null;
}

/** Claims a running bulk replay that no worker executes at present. */
export function claimBulkReplay(sql: Sql): Promise<ClaimedBulkReplay | null> {
  return firstRow(
    sql,
    `update bulk_replay set lease_until = clock_timestamp() + ${LEASE}
     where id = (
       select id from bulk_replay
       where ${CLAIMABLE}
       order by lease_until nulls first limit 1 for update skip locked)
     returning id, space_id, requested_by, query, per_second,
       created_at, position`,
  );
}

/** Lets another worker continue at once, after those that have waited longer. */
export async function releaseBulkReplay(sql: Sql, { id, position }: ClaimedBulkReplay): Promise<void> {
  await rows(
    sql,
    `update bulk_replay set lease_until = clock_timestamp()
     where id = $1 and status = 'RUNNING' and position is not distinct from $2::uuid`,
    [id, position],
  );
}

/** Locks a bulk replay. False if it has ended, or if another worker has continued it after the position. */
export async function lockBulkReplay(tx: Sql, { id, position }: ClaimedBulkReplay): Promise<boolean> {
  const locked = await rows(
    tx,
    `select id from bulk_replay
     where id = $1 and status = 'RUNNING' and position is not distinct from $2::uuid for update`,
    [id, position],
  );
  return locked.length > 0;
}

export interface BatchProgress {
  position: string | null;
  replayed: number;
  refused: number;
  /** Why the last envelope was refused; null if none was. */
  lastError: string | null;
  isComplete: boolean;
}

/** Adds a batch to the progress of a bulk replay that the transaction has locked, and renews its lease. */
export async function storeProgress(
  tx: Sql,
  id: string,
  { position, replayed, refused, lastError, isComplete }: BatchProgress,
): Promise<BulkReplayStatus> {
  const { status } = await exactlyOne<{ status: BulkReplayStatus }>(
    tx,
    `update bulk_replay set position = coalesce($2::uuid, position), replayed = replayed + $3::int,
       refused = refused + $4::int, total = greatest(total, replayed + $3::int + refused + $4::int),
       last_error = coalesce($5, last_error), status = case when $6::boolean then 'COMPLETED' else status end,
       finished_at = case when $6::boolean then clock_timestamp() end,
       lease_until = case when not $6::boolean then clock_timestamp() + ${LEASE} end
     where id = $1 returning status`,
    [id, position, replayed, refused, lastError, isComplete],
  );
  return status;
}

/** Whether a bulk replay is where a batch has left it. */
export async function hasProgress(
  sql: Sql,
  id: string,
  { position, isComplete }: Pick<BatchProgress, 'position' | 'isComplete'>,
): Promise<boolean> {
  const found = await rows(
    sql,
    `select 1 from bulk_replay
     where id = $1 and position is not distinct from $2::uuid and (status = 'COMPLETED') = $3::boolean`,
    [id, position, isComplete],
  );
  return found.length > 0;
}

/** Ends a bulk replay that cannot continue. */
export async function failBulkReplay(sql: Sql, id: string, lastError: string): Promise<void> {
  await rows(
    sql,
    `update bulk_replay set status = 'FAILED', last_error = $2, finished_at = clock_timestamp(), lease_until = null
     where id = $1 and status = 'RUNNING'`,
    [id, lastError],
  );
}

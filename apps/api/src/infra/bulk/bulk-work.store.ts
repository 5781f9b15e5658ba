import { exactlyOne, firstRow, rows, type Sql } from '../database/rows.ts';

/** How long a worker may take for one batch before another one continues. */
const LEASE = `interval '30 seconds'`;
const CLAIMABLE = `status = 'RUNNING' and (lease_until is null or lease_until < statement_timestamp())`;

/** A table with the columns of `BulkWorkEntity`. Its names are constants of the module that owns it. */
export interface BulkTable {
  name: string;
  /** The column that counts what was done. */
  done: string;
}

/** A query that has rows if work of a table can be claimed. */
export function bulkWorkWaiting({ name }: BulkTable): string {
  return `select from ${name} where ${CLAIMABLE}`;
}

/** Work that a worker executes. */
export interface ClaimedBulkWork<Query> {
  id: string;
  spaceId: string;
  requestedBy: string;
  query: Query;
  perSecond: number;
  createdAt: Date;
  /** The last row that was handled. */
  position: string | null;
}

/** Claims running work that no worker executes at present: of a space for which the fewest do, what has waited longest. */
export function claimBulkWork<Query>(sql: Sql, { name }: BulkTable): Promise<ClaimedBulkWork<Query> | null> {
  return firstRow(
    sql,
    `update ${name} set lease_until = clock_timestamp() + ${LEASE}
     where id = (
       select w.id from ${name} w left join (
         select space_id, count(*) as works from ${name}
         where status = 'RUNNING' and lease_until >= statement_timestamp() group by space_id
       ) busy on busy.space_id = w.space_id
       where ${CLAIMABLE}
       order by coalesce(busy.works, 0), lease_until nulls first limit 1 for update of w skip locked)
     returning id, space_id, requested_by, query, per_second, created_at, position`,
  );
}

/** Lets work of a space and table begin one after the other, until the transaction ends. */
export async function lockBulkStarts(tx: Sql, { name }: BulkTable, spaceId: string): Promise<void> {
  await rows(tx, 'select pg_advisory_xact_lock(hashtextextended($1, 0))', [`${name} ${spaceId}`]);
}

/** The work of a space that has not ended, oldest first. */
export function listRunningBulkWork<Query>(
  sql: Sql,
  { name }: BulkTable,
  spaceId: string,
): Promise<Pick<ClaimedBulkWork<Query>, 'id' | 'requestedBy' | 'query'>[]> {
  return rows(
    sql,
    `select id, requested_by, query from ${name} where space_id = $1 and status = 'RUNNING' order by id`,
    [spaceId],
  );
}

type Place = Pick<ClaimedBulkWork<unknown>, 'id' | 'position'>;

/** Lets another worker continue at once, after work that has waited longer. */
export async function releaseBulkWork(sql: Sql, { name }: BulkTable, { id, position }: Place): Promise<void> {
  await rows(
    sql,
    `update ${name} set lease_until = clock_timestamp()
     where id = $1 and status = 'RUNNING' and position is not distinct from $2::uuid`,
    [id, position],
  );
}

/** Locks work. False if it has ended, or if another worker has continued it after the position. */
export async function lockBulkWork(tx: Sql, { name }: BulkTable, { id, position }: Place): Promise<boolean> {
  const locked = await rows(
    tx,
    `select id from ${name}
     where id = $1 and status = 'RUNNING' and position is not distinct from $2::uuid for update`,
    [id, position],
  );
  return locked.length > 0;
}

export interface BulkProgress {
  position: string | null;
  done: number;
  refused: number;
  /** Why the last row was refused; null if none was. */
  lastError: string | null;
  isComplete: boolean;
}

/** Adds a batch to the progress of work that the transaction has locked, and renews its lease. */
export async function storeBulkProgress(
  tx: Sql,
  { name, done: column }: BulkTable,
  id: string,
  { position, done, refused, lastError, isComplete }: BulkProgress,
): Promise<void> {
  await exactlyOne(
    tx,
    `update ${name} set position = coalesce($2::uuid, position), ${column} = ${column} + $3::int,
       refused = refused + $4::int, total = greatest(total, ${column} + $3::int + refused + $4::int),
       last_error = coalesce($5, last_error), status = case when $6::boolean then 'COMPLETED' else status end,
       finished_at = case when $6::boolean then clock_timestamp() end,
       lease_until = case when not $6::boolean then clock_timestamp() + ${LEASE} end
     where id = $1 returning id`,
    [id, position, done, refused, lastError, isComplete],
  );
}

/** Whether work is where a batch has left it. */
export async function hasBulkProgress(
  sql: Sql,
  { name }: BulkTable,
  id: string,
  { position, isComplete }: Pick<BulkProgress, 'position' | 'isComplete'>,
): Promise<boolean> {
  const found = await rows(
    sql,
    `select 1 from ${name}
     where id = $1 and position is not distinct from $2::uuid and (status = 'COMPLETED') = $3::boolean`,
    [id, position, isComplete],
  );
  return found.length > 0;
}

/** Stops work. Waits for the batch that a worker is storing; false if the work has already ended. */
export async function stopBulkWork(tx: Sql, { name }: BulkTable, id: string): Promise<boolean> {
  const stopped = await rows(
    tx,
    `update ${name} set status = 'STOPPED', finished_at = clock_timestamp(), lease_until = null
     where id = $1 and status = 'RUNNING' returning id`,
    [id],
  );
  return stopped.length > 0;
}

/** Ends work that cannot continue. */
export async function failBulkWork(
  sql: Sql,
  { name }: BulkTable,
  id: string,
  lastError: string,
): Promise<void> {
  await rows(
    sql,
    `update ${name} set status = 'FAILED', last_error = $2, finished_at = clock_timestamp(), lease_until = null
     where id = $1 and status = 'RUNNING'`,
    [id, lastError],
  );
}

import { affected, exactlyOne, type Sql } from '../infra/database/rows.ts';
import type { ChangeEntity } from './change.entity.ts';

/** How long changes are kept: longer than a reader may have been away. */
const KEPT = `interval '15 minutes'`;

export type Change = Pick<ChangeEntity, 'spaceId' | 'kind' | 'refId' | 'status' | 'audience' | 'forAdmins'>;

/** What a reader has seen: the snapshot of its read, and the milliseconds since 1970 by the clock of the database. */
export interface Seen {
  snapshot: string;
  at: number;
}

export interface Read {
  seen: Seen;
  /** At most `perKind` of each space and kind. */
  changes: Change[];
  /** Whether there were more than `limit`, so that some are missing. */
  isCut: boolean;
}

/**
 * Reads what has become visible since the snapshot, also of transactions that began before it: each change is read once.
 * A null snapshot reads nothing.
 */
export async function readChanges(
  sql: Sql,
  since: string | null,
  spaceIds: readonly string[],
  { limit, perKind }: { limit: number; perKind: number },
): Promise<Read> {
  const { snapshot, at, found, changes } = await exactlyOne<{
    snapshot: string;
    at: string;
    found: string;
    changes: Change[];
  }>(
    sql,
    `with recent as materialized (
       select * from change
       where xid >= pg_snapshot_xmin($1::pg_snapshot)::text::bigint and space_id = any($2::uuid[])
         and not pg_visible_in_snapshot(xid::text::xid8, $1::pg_snapshot)
       order by xid, n limit $3 + 1),
     numbered as (
       select *, row_number() over (partition by space_id, kind order by xid, n) as place from recent)
     select pg_current_snapshot()::text as snapshot,
       floor(extract(epoch from clock_timestamp()) * 1000)::bigint as at,
       (select count(*) from recent) as found,
       coalesce((select json_agg(json_build_object('spaceId', c.space_id, 'kind', c.kind, 'refId', c.ref_id,
           'status', c.status, 'audience', c.audience, 'forAdmins', c.for_admins))
         from numbered c where c.place <= $4), '[]') as changes`,
    [since, spaceIds, limit, perKind],
  );
  return { seen: { snapshot, at: Number(at) }, changes, isCut: Number(found) > limit };
}

/** Whether the database can have made the snapshot: it cannot after it was restored from a copy. */
export async function isOfThisDatabase(sql: Sql, snapshot: string): Promise<boolean> {
  const { isPast } = await exactlyOne<{ isPast: boolean }>(
    sql,
    `select pg_snapshot_xmax($1::pg_snapshot) <= pg_snapshot_xmax(pg_current_snapshot()) as is_past`,
    [snapshot],
  );
  return isPast;
}

/** Removes old changes: the oldest come first in the key. */
export function purgeChanges(sql: Sql, limit: number): Promise<number> {
  return affected(
    sql,
    `delete from change where (xid, n) in (
       select xid, n from (select xid, n, created_at from change order by xid, n limit $1) oldest
       where created_at < statement_timestamp() - ${KEPT})`,
    [limit],
  );
}

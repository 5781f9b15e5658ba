import { LessThan, LessThanOrEqual, MoreThanOrEqual, type EntityManager } from 'typeorm';
import { rows, type Sql } from '../../infra/database/rows.ts';
import { smallestIdAt } from '../../infra/requests/instant.ts';
import { AuditEntryEntity } from './audit-entry.entity.ts';

/**
 * Ids are about as old as their entries, so a range of ids keeps a query for last year from reading this year's entries.
 * The clock behind both may have been set back a little in between.
 */
const ID_SLACK_MS = 60_000;

export interface AuditFilter {
  spaceId: string;
  actorUserId: string | undefined;
  action: string | undefined;
  after: Date | null;
  before: Date | null;
  beforeId: string | null;
  limit: number;
}

/** The entries of a space, newest first, with their actors. */
export function listEntries(tx: EntityManager, filter: AuditFilter): Promise<AuditEntryEntity[]> {
  const { spaceId, actorUserId, action, after, before, beforeId, limit } = filter;
  const query = tx
    .createQueryBuilder(AuditEntryEntity, 'entry')
    .leftJoin('entry.actor', 'actor')
    .addSelect(['actor.id', 'actor.email', 'actor.name'])
    .where({ spaceId })
    .orderBy('entry.id', 'DESC')
    .limit(limit);
  if (actorUserId !== undefined) query.andWhere({ actorUserId });
  if (action !== undefined) query.andWhere({ action });
  if (beforeId !== null) query.andWhere({ id: LessThan(beforeId) });
  if (after !== null) {
    query.andWhere({ at: MoreThanOrEqual(after) });
    query.andWhere({ id: MoreThanOrEqual(smallestIdAt(after.getTime() - ID_SLACK_MS)) });
  }
  if (before !== null) {
    query.andWhere({ at: LessThanOrEqual(before) });
    query.andWhere({ id: LessThanOrEqual(smallestIdAt(before.getTime() + ID_SLACK_MS)) });
  }
  return query.getMany();
}

/** Deletes at most `limit` entries about runs that are older than a number of days: so long are runs kept. Returns how many. */
export async function purgeRunEntries(sql: Sql, days: number, limit: number): Promise<number> {
  const purged = await rows(
    sql,
    `delete from audit_entry where id = any(array(
       select id from audit_entry
       where target_type = 'run' and id < uuid_v7_floor(statement_timestamp() - $2 * interval '1 day')
       order by id limit $1))
     returning id`,
    [limit, days],
  );
  return purged.length;
}

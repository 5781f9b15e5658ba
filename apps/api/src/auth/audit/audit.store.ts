import { LessThan, type EntityManager } from 'typeorm';
import { affected, type Sql } from '../../infra/database/rows.ts';
import { limitTimes } from '../../infra/requests/limit-times.ts';
import { AuditEntryEntity } from './audit-entry.entity.ts';

export interface AuditFilter {
  spaceId: string;
  actorUserId: string | undefined;
  action: string | undefined;
  from: Date | null;
  to: Date | null;
  beforeId: string | null;
  limit: number;
}

/** The entries of a space, newest first, with their actors. */
export function listEntries(tx: EntityManager, filter: AuditFilter): Promise<AuditEntryEntity[]> {
  const { spaceId, actorUserId, action, beforeId, limit, ...times } = filter;
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
  limitTimes(query, 'at', times);
  return query.getMany();
}

/** Programs make any number of these entries. Each has an index of its own. */
const PURGED = [`target_type = 'run'`, `action = 'tool.invoke'`];

/**
 * Deletes at most `limit` entries about runs, and about calls of methods, that are older than a number of days: so long are runs
 * kept. Returns how many.
 */
export async function purgeEntries(sql: Sql, days: number, limit: number): Promise<number> {
  let count = 0;
  for (const what of PURGED) {
    count += await affected(
      sql,
      `delete from audit_entry where id = any(array(
         select id from audit_entry
         where ${what} and id < uuid_v7_floor(statement_timestamp() - $2 * interval '1 day')
         order by id limit $1))`,
      [limit - count, days],
    );
  }
  return count;
}

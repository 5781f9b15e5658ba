import { LessThan, LessThanOrEqual, MoreThanOrEqual, type EntityManager } from 'typeorm';
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

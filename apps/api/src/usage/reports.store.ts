import type { UsageEntry, UsageFigures, UsageGrouping, UsageWindow, UserSummary } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { parseInstant } from '../infra/requests/instant.ts';
import { rows, type Sql } from '../infra/database/rows.ts';
import { EntryEntity } from './entry.entity.ts';

export interface EntryFilter {
  /** Null for the whole space. */
  userId: string | null;
  source?: string;
  model?: string;
  from?: string;
  to?: string;
}

/** The position of an entry in a list. */
export interface EntryPosition {
  createdAt: string;
  id: string;
}

/** Lists entries after a position, newest first. Every filter has an index in this order. */
export function listEntries(
  manager: EntityManager,
  spaceId: string,
  { userId, source, model, from, to }: EntryFilter,
  after: EntryPosition | null,
  limit: number,
): Promise<EntryEntity[]> {
  const query = manager.createQueryBuilder(EntryEntity, 'e').where('e.spaceId = :spaceId', { spaceId });
  if (userId !== null) query.andWhere('e.userId = :userId', { userId });
  if (source !== undefined) query.andWhere('e.source = :source', { source });
  if (model !== undefined) query.andWhere('e.model = :model', { model });
  if (from !== undefined) query.andWhere('e.createdAt >= :from', { from: parseInstant(from) });
  if (to !== undefined) query.andWhere('e.createdAt <= :to', { to: parseInstant(to) });
  if (after !== null) query.andWhere('(e.createdAt, e.id) < (:createdAt, :id)', after);
  return query.orderBy('e.createdAt', 'DESC').addOrderBy('e.id', 'DESC').limit(limit).getMany();
}

/** Returns an entry; throws if it does not exist. */
export function getEntry(manager: EntityManager, spaceId: string, id: string): Promise<EntryEntity> {
  return manager.findOneByOrFail(EntryEntity, { spaceId, id });
}

export function toEntry(row: EntryEntity, users: Map<string, UserSummary>): UsageEntry {
  const { spaceId: _, causationRunId: __, userId, createdBy, createdAt, ...entry } = row;
  const user = (id: string | null) => (id === null ? null : (users.get(id) ?? null));
  return { ...entry, user: user(userId), createdBy: user(createdBy), createdAt: createdAt.toISOString() };
}

export type FiguresRow = UsageFigures & { key: string | null; isTotal: boolean; from: Date; to: Date };

const WINDOWS: Record<UsageWindow, string> = { '24h': '24 hours', '7d': '7 days', '30d': '30 days' };

const KEYS: Record<UsageGrouping, string> = {
  day: `to_char(created_at at time zone 'UTC', 'YYYY-MM-DD')`,
  model: 'model',
  agent: 'agent_id::text',
  user: 'user_id::text',
};

/** Sums the charges of a window for each key, and in one more row in total. */
export function sumCharges(
  sql: Sql,
  spaceId: string,
  userId: string | null,
  window: UsageWindow,
  groupBy: UsageGrouping,
): Promise<FiguresRow[]> {
  return rows(
    sql,
    `with charge as (
       select ${KEYS[groupBy]} as key, * from usage_entry
       where space_id = $1 and kind = 'CHARGE' and created_at >= now() - $3::interval
         and ($2::uuid is null or user_id = $2)
     )
     select key, grouping(key) = 1 as is_total, now() - $3::interval as from, now() as to,
       count(*)::int as calls, coalesce(-sum(tokens), 0)::float8 as tokens,
       coalesce(sum(prompt_tokens), 0)::float8 as prompt_tokens,
       coalesce(sum(completion_tokens), 0)::float8 as completion_tokens,
       coalesce(sum(cached_tokens), 0)::float8 as cached_tokens,
       coalesce(sum(reasoning_tokens), 0)::float8 as reasoning_tokens,
       case when count(*) = 0 then 0 else sum(cost)::float8 end as cost
     from charge group by grouping sets ((key), ())`,
    [spaceId, userId, WINDOWS[window]],
  );
}

import type { UsageEntry, UsageFigures, UsageGrouping, UsageWindow, UserSummary } from '@platform/contracts';
import { parseInstant } from '../infra/http/instant.ts';
import { firstRow, rows, type Sql } from '../infra/database/rows.ts';

export type EntryRow = Omit<UsageEntry, 'user' | 'createdBy' | 'createdAt'> & {
  userId: string | null;
  createdByUserId: string | null;
  createdAt: Date;
};

const ENTRY_COLUMNS = `
  id, kind, user_id as "userId", tokens::float8 as tokens, cost::float8 as cost, source,
  agent_id as "agentId", turn_id as "turnId", model, prompt_tokens as "promptTokens",
  completion_tokens as "completionTokens", cached_tokens as "cachedTokens",
  reasoning_tokens as "reasoningTokens", estimated, note, created_by as "createdByUserId",
  created_at as "createdAt"`;

export interface EntryFilter {
  /** Null: the whole space. */
  userId: string | null;
  source?: string;
  model?: string;
  from?: string;
  to?: string;
}

/** The place of an entry in a list. */
export interface EntryPosition {
  createdAt: string;
  id: string;
}

/** Entries after a position, the newest first. Every filter has an index in this order. */
export function listEntries(
  sql: Sql,
  spaceId: string,
  { userId, source, model, from, to }: EntryFilter,
  after: EntryPosition | null,
  limit: number,
): Promise<EntryRow[]> {
  return rows(
    sql,
    `select ${ENTRY_COLUMNS} from usage_entry
     where space_id = $1
       and ($2::uuid is null or user_id = $2)
       and ($3::text is null or source = $3)
       and ($4::text is null or model = $4)
       and ($5::timestamptz is null or created_at >= $5)
       and ($6::timestamptz is null or created_at <= $6)
       and ($7::timestamptz is null or (created_at, id) < ($7, $8::uuid))
     order by created_at desc, id desc limit $9`,
    [
      spaceId,
      userId,
      source,
      model,
      parseInstant(from),
      parseInstant(to),
      after?.createdAt ?? null,
      after?.id ?? null,
      limit,
    ],
  );
}

export async function entryById(sql: Sql, spaceId: string, id: string): Promise<EntryRow> {
  const entry = await firstRow<EntryRow>(
    sql,
    `select ${ENTRY_COLUMNS} from usage_entry where space_id = $1 and id = $2`,
    [spaceId, id],
  );
  if (!entry) throw new Error(`Entry ${id} was not stored`);
  return entry;
}

export function toEntry(row: EntryRow, people: Map<string, UserSummary>): UsageEntry {
  const { userId, createdByUserId, createdAt, ...entry } = row;
  const person = (id: string | null) => (id === null ? null : (people.get(id) ?? null));
  return {
    ...entry,
    user: person(userId),
    createdBy: person(createdByUserId),
    createdAt: createdAt.toISOString(),
  };
}

export type FiguresRow = UsageFigures & { key: string | null; isTotal: boolean; from: Date; to: Date };

const WINDOWS: Record<UsageWindow, string> = { '24h': '24 hours', '7d': '7 days', '30d': '30 days' };

const KEYS: Record<UsageGrouping, string> = {
  day: `to_char(created_at at time zone 'UTC', 'YYYY-MM-DD')`,
  model: 'model',
  agent: 'agent_id::text',
  user: 'user_id::text',
};

/** Charges of a window summed by the key, and in one more row all together. */
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
     select key, grouping(key) = 1 as "isTotal", now() - $3::interval as from, now() as to,
       count(*)::int as calls, coalesce(-sum(tokens), 0)::float8 as tokens,
       coalesce(sum(prompt_tokens), 0)::float8 as "promptTokens",
       coalesce(sum(completion_tokens), 0)::float8 as "completionTokens",
       coalesce(sum(cached_tokens), 0)::float8 as "cachedTokens",
       coalesce(sum(reasoning_tokens), 0)::float8 as "reasoningTokens",
       coalesce(sum(cost), 0)::float8 as cost
     from charge group by grouping sets ((key), ())`,
    [spaceId, userId, WINDOWS[window]],
  );
}

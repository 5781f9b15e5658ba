import type { EnvelopeStatus, ReplayPreview } from '@platform/contracts';
import { exactlyOne, type Sql } from '../../infra/database/rows.ts';
import { smallestIdAt } from '../../infra/requests/instant.ts';
import { ID_SLACK_MS, keysOf, matching, type EnvelopeFilter } from '../records/envelopes.store.ts';

/** The envelopes of one event share few pages of the table, so fewer of them are looked at. */
const SCATTERED = 4;

export type EnvelopeCount = Omit<ReplayPreview, 'runningId'>;

export interface CountFilter extends EnvelopeFilter {
  from: Date;
  to: Date;
}

/**
 * Counts the envelopes of a filter, those that can be replayed if it names no status. Counts indexes without reading their
 * tables, except for DISPATCHED: then it looks at the latest `limit` envelopes only.
 */
export async function countEnvelopes(sql: Sql, filter: CountFilter, limit: number): Promise<EnvelopeCount> {
  const { status, events } = filter;
  if (status === 'DISPATCHED')
    return countDispatched(sql, filter, events === null ? limit : Math.ceil(limit / SCATTERED));
  const values: unknown[] = [];
  const all = idsOf(filter, status, limit + 1, values);
  const pending = status === null ? idsOf(filter, 'PENDING', limit + 1, values) : null;
  const { counted, waiting } = await exactlyOne<{ counted: number; waiting: number }>(
    sql,
    `select (select count(*) from (${all}) a)::int as counted,
       ${pending === null ? '0' : `(select count(*) from (${pending}) p)::int`} as waiting`,
    values,
  );
  return { count: Math.max(0, Math.min(counted, limit) - waiting), limit, isLimited: counted > limit };
}

async function countDispatched(sql: Sql, filter: CountFilter, limit: number): Promise<EnvelopeCount> {
  const { text, values } = matching(
    { ...filter, status: null },
    { start: null, order: 'desc', limit: limit + 1 },
  );
  const { count, scanned } = await exactlyOne<{ count: number; scanned: number }>(
    sql,
    `select count(*) filter (where status = 'DISPATCHED')::int as count, count(*)::int as scanned from (${text}) e`,
    values,
  );
  return { count: Math.min(count, limit), limit, isLimited: scanned > limit };
}

/** The statement that selects ids of a time. Only at both ends of the time it has to read when an envelope was emitted. */
function idsOf(
  { spaceId, events, from, to }: CountFilter,
  status: EnvelopeStatus | null,
  limit: number,
  values: unknown[],
): string {
  const [start, end] = [from.getTime(), to.getTime()];
  const bounds = [start - ID_SLACK_MS, start + ID_SLACK_MS, end - ID_SLACK_MS, end + ID_SLACK_MS];
  const isShort = end - start <= 2 * ID_SLACK_MS;
  const parts = isShort ? [[bounds[0], bounds[3]]] : [0, 1, 2].map((i) => bounds.slice(i, i + 2));
  const select = parts.map(([lower = 0, upper = 0], i) => {
    const conditions = [
      `id >= $${values.push(smallestIdAt(lower))}`,
      `id < $${values.push(smallestIdAt(upper))}`,
    ];
    if (status !== null) conditions.push(`status = '${status}'`);
    if (isShort || i !== 1) {
      conditions.push(`emitted_at >= $${values.push(from)}`, `emitted_at < $${values.push(to)}`);
    }
    const where = conditions.join(' and ');
    const count = `limit $${values.push(limit)}`;
    if (events === null)
      return `(select id from envelope where space_id = $${values.push(spaceId)} and ${where} ${count})`;
    // The applications belong to the space; their index does not contain it.
    return `(
      select e.id from (${keysOf(events, values)}) k cross join lateral (
        select id from envelope where application_id = k.application_id and event = k.name and ${where} ${count}
      ) e ${count})`;
  });
  return select.join(' union all ');
}

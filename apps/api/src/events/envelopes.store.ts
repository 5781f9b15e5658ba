import type { EnvelopeStatus } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { missingOrForeign, requireUuid } from '../auth/resource-scope.ts';
import { rows, type Sql } from '../infra/database/rows.ts';
import { smallestIdAt } from '../infra/http/instant.ts';
import type { EventKey } from './catalog.store.ts';
import { EnvelopeEntity } from './envelope.entity.ts';

/**
 * Ids are about as old as their envelopes. A range of ids selects the partitions and the part of an index that a range of
 * time needs; `emitted_at` decides.
 */
const ID_SLACK_MS = 5_000;
const LOWEST_ID = '00000000-0000-0000-0000-000000000000';
const HIGHEST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
/** How many envelopes a page looks at if no index serves its filter completely. */
export const SCAN_LIMIT = 5_000;

export interface EnvelopeFilter {
  spaceId: string;
  /** Null: all events. */
  events: readonly EventKey[] | null;
  status: EnvelopeStatus | null;
  /** Inclusive. */
  from: Date | null;
  /** Exclusive. */
  to: Date | null;
}

export interface EnvelopeIds {
  /** Newest first. */
  ids: string[];
  /** How far the scan came, if there may be more envelopes beyond it. */
  scannedTo: string | null;
}

/**
 * Finds the envelopes of a filter below an id, newest first. An index serves every filter but two: DISPATCHED, which most
 * envelopes are, and PENDING envelopes of an event. Those look at a bounded number of envelopes and may find fewer.
 */
export async function findEnvelopeIds(
  sql: Sql,
  filter: EnvelopeFilter,
  below: string | null,
  limit: number,
): Promise<EnvelopeIds> {
  const { events, status } = filter;
  const needsScan = status === 'DISPATCHED' || (status === 'PENDING' && events !== null);
  if (!needsScan) {
    const { text, values } = matching(filter, below, limit);
    const found = await rows<{ id: string }>(sql, text, values);
    return { ids: found.map(({ id }) => id), scannedTo: null };
  }
  const size = Math.max(limit, events === null ? SCAN_LIMIT : Math.floor(SCAN_LIMIT / events.length));
  const { text, values } = matching(
    status === 'PENDING' ? { ...filter, events: null } : { ...filter, status: null },
    below,
    size,
  );
  const condition =
    status === 'PENDING'
      ? `(application_id, event) in (select * from unnest($${values.push(idsOf(events ?? []))}::uuid[], $${values.push(namesOf(events ?? []))}::text[]))`
      : `status = 'DISPATCHED'`;
  const found = await rows<{ id: string; isEnd: boolean }>(
    sql,
    `with scanned as materialized (${text})
     (select id, false as "isEnd" from scanned where ${condition} order by id desc limit $${values.push(limit)})
     union all
     (select id, true from scanned where (select count(*) from scanned) = $${values.push(size)} order by id limit 1)`,
    values,
  );
  const ids = found.filter(({ isEnd }) => !isEnd).map(({ id }) => id);
  const end = found.find(({ isEnd }) => isEnd);
  return { ids, scannedTo: ids.length < limit ? (end?.id ?? null) : null };
}

/** The statement that selects the latest envelopes that an index finds by space or event, status, and time. */
function matching(
  { spaceId, events, status, from, to }: EnvelopeFilter,
  below: string | null,
  limit: number,
): { text: string; values: unknown[] } {
  const lower = from === null ? LOWEST_ID : smallestIdAt(from.getTime() - ID_SLACK_MS);
  const upper = to === null ? HIGHEST_ID : smallestIdAt(to.getTime() + ID_SLACK_MS);
  const values: unknown[] = [spaceId, lower, below !== null && below < upper ? below : upper];
  const conditions = ['space_id = $1', 'id >= $2', 'id < $3'];
  // A literal, so that the planner recognizes the partial index.
  if (status !== null) conditions.push(`status = '${status}'`);
  if (from !== null) conditions.push(`emitted_at >= $${values.push(from)}`);
  if (to !== null) conditions.push(`emitted_at < $${values.push(to)}`);
  const where = conditions.join(' and ');
  const count = `$${values.push(limit)}`;
  const columns = 'id, status, application_id, event';
  if (events === null)
    return { text: `select ${columns} from envelope where ${where} order by id desc limit ${count}`, values };
  const text = `
    select e.id, e.status, e.application_id, e.event
    from unnest($${values.push(idsOf(events))}::uuid[], $${values.push(namesOf(events))}::text[]) as k(application_id, name)
    cross join lateral (
      select ${columns} from envelope
      where application_id = k.application_id and event = k.name and ${where}
      order by id desc limit ${count}
    ) e
    order by e.id desc limit ${count}`;
  return { text, values };
}

const idsOf = (events: readonly EventKey[]) => events.map(({ applicationId }) => applicationId);
const namesOf = (events: readonly EventKey[]) => events.map(({ name }) => name);

/** Loads envelopes, newest first: those whose payloads together take at most `maxBytes`, and at least one. */
export async function loadEnvelopes(
  manager: EntityManager,
  spaceId: string,
  ids: readonly string[],
  maxBytes: number,
): Promise<EnvelopeEntity[]> {
  const sizes = await rows<{ id: string; bytes: number }>(
    manager,
    `select id, payload_bytes as bytes from envelope where space_id = $1 and id = any($2::uuid[]) order by id desc`,
    [spaceId, ids],
  );
  let bytes = 0;
  const kept = sizes.filter((one, i) => (bytes += one.bytes) <= maxBytes || i === 0).map(({ id }) => id);
  if (kept.length === 0) return [];
  return manager
    .createQueryBuilder(EnvelopeEntity, 'e')
    .select(LISTED.map((column) => `e.${column}`))
    .where('e.spaceId = :spaceId and e.id = any(:kept::uuid[])', { spaceId, kept })
    .orderBy('e.id', 'DESC')
    .getMany();
}

/** The verdicts of 200 subscriptions can be larger than the payload; lists do not need them. */
const LISTED: (keyof EnvelopeEntity)[] = [
  'id',
  'applicationId',
  'event',
  'payload',
  'status',
  'statusReason',
  'source',
  'emittedAt',
  'depth',
  'generation',
  'matchedCount',
  'dispatchedAt',
];

export async function getEnvelope(
  manager: EntityManager,
  spaceId: string,
  id: string,
): Promise<EnvelopeEntity> {
  const label = `Envelope ${id}`;
  requireUuid(id, label);
  const envelope = await manager.findOneBy(EnvelopeEntity, { spaceId, id });
  if (envelope === null) throw await missingOrForeign(manager, EnvelopeEntity, { id }, label);
  return envelope;
}

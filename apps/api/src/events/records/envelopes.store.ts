import type { EnvelopeStatus } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { missingOrForeign, requireUuid } from '../../auth/principals/resource-scope.ts';
import { rows, type Sql } from '../../infra/database/rows.ts';
import { withinBytes } from '../../infra/requests/cursors.ts';
import { smallestIdAt } from '../../infra/requests/instant.ts';
import type { EventKey } from '../catalog/catalog.store.ts';
import { EnvelopeEntity } from './envelope.entity.ts';

/**
 * Ids are about as old as their envelopes. A range of ids selects the partitions and the part of an index that a range of
 * time needs; `emitted_at` decides.
 */
export const ID_SLACK_MS = 5_000;
const LOWEST_ID = '00000000-0000-0000-0000-000000000000';
const HIGHEST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
/** How many envelopes a page looks at if no index serves its filter completely. */
const SCAN_LIMIT = 5_000;

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

/** Where a scan begins, in which order it goes, and how many envelopes it is to find. */
export interface Scan {
  /** Exclusive; null: at the newest, or at the oldest. */
  start: string | null;
  order: 'asc' | 'desc';
  limit: number;
}

/** An envelope without its contents. */
export interface FoundEnvelope {
  id: string;
  /** Of the payload. */
  bytes: number;
}

export interface FoundEnvelopes {
  /** In the order of the scan. */
  found: FoundEnvelope[];
  /** How far the scan came, if it found fewer than wanted although there may be more beyond. */
  scannedTo: string | null;
}

/**
 * Finds envelopes. An index serves every filter but two: DISPATCHED, which most envelopes are, and PENDING
 * envelopes of an event. Those look at `scanLimit` envelopes at most and may find fewer than wanted.
 */
export async function findEnvelopes(
  sql: Sql,
  filter: EnvelopeFilter,
  scan: Scan,
  scanLimit = SCAN_LIMIT,
): Promise<FoundEnvelopes> {
  const { events, status } = filter;
  if (status !== 'DISPATCHED' && (status !== 'PENDING' || events === null)) {
    const { text, values } = matching(filter, scan);
    return {
      found: await rows(
        sql,
        `select id, payload_bytes as bytes from (${text}) f order by id ${scan.order}`,
        values,
      ),
      scannedTo: null,
    };
  }
  const { order, limit } = scan;
  const isPending = status === 'PENDING';
  const share = events === null || isPending ? scanLimit : Math.floor(scanLimit / events.length);
  const size = Math.max(limit, share);
  const wider = isPending ? { ...filter, events: null } : { ...filter, status: null };
  const { text, values } = matching(wider, { ...scan, limit: size });
  const condition = isPending
    ? `(application_id, event) in (${keysOf(events ?? [], values)})`
    : `status = 'DISPATCHED'`;
  const reverse = order === 'asc' ? 'desc' : 'asc';
  const scanned = await rows<FoundEnvelope & { isEnd: boolean }>(
    sql,
    `with scanned as materialized (${text})
     (select id, payload_bytes as bytes, false as is_end from scanned where ${condition} order by id ${order} limit $${values.push(limit)})
     union all
     (select id, payload_bytes, true from scanned where (select count(*) from scanned) = $${values.push(size)}
      order by id ${reverse} limit 1)`,
    values,
  );
  const found = scanned.filter(({ isEnd }) => !isEnd);
  const end = scanned.find(({ isEnd }) => isEnd);
  return { found, scannedTo: found.length < limit ? (end?.id ?? null) : null };
}

/** The ids that a time and a cursor allow. */
export function rangeOf(
  { from, to }: EnvelopeFilter,
  below: string | null,
): { above: string; below: string } {
  const end = to === null ? HIGHEST_ID : smallestIdAt(to.getTime() + ID_SLACK_MS);
  return {
    above: from === null ? LOWEST_ID : smallestIdAt(from.getTime() - ID_SLACK_MS),
    below: below !== null && below < end ? below : end,
  };
}

/** Returns those of the envelopes that match, newest first. */
export function filterEnvelopes(
  sql: Sql,
  { spaceId, events, status, from, to }: EnvelopeFilter,
  ids: readonly string[],
): Promise<FoundEnvelope[]> {
  const values: unknown[] = [spaceId, ids, status, from, to];
  const conditions = [
    'space_id = $1 and id = any($2::uuid[])',
    '($3::text is null or status = $3)',
    '($4::timestamptz is null or emitted_at >= $4) and ($5::timestamptz is null or emitted_at < $5)',
  ];
  if (events !== null) conditions.push(`(application_id, event) in (${keysOf(events, values)})`);
  return rows(
    sql,
    `select id, payload_bytes as bytes from envelope where ${conditions.join(' and ')} order by id desc`,
    values,
  );
}

/** The statement that selects what an index finds by space or event, status, and time. */
export function matching(
  { spaceId, events, status, from, to }: EnvelopeFilter,
  { start, order, limit }: Scan,
): { text: string; values: unknown[] } {
  const lower = from === null ? LOWEST_ID : smallestIdAt(from.getTime() - ID_SLACK_MS);
  const upper = to === null ? HIGHEST_ID : smallestIdAt(to.getTime() + ID_SLACK_MS);
  const values: unknown[] = [spaceId, lower, upper];
  const conditions = ['space_id = $1', 'id >= $2', 'id < $3'];
  if (start !== null) conditions.push(`id ${order === 'asc' ? '>' : '<'} $${values.push(start)}`);
  // A literal, so that the planner recognizes the partial index.
  if (status !== null) conditions.push(`status = '${status}'`);
  if (from !== null) conditions.push(`emitted_at >= $${values.push(from)}`);
  if (to !== null) conditions.push(`emitted_at < $${values.push(to)}`);
  const where = conditions.join(' and ');
  const end = `order by id ${order} limit $${values.push(limit)}`;
  const columns = 'id, status, application_id, event, payload_bytes';
  if (events === null) return { text: `select ${columns} from envelope where ${where} ${end}`, values };
  // The latest of each event, then the latest of those: no index orders the envelopes of several events.
  const text = `
    select e.* from (${keysOf(events, values)}) k cross join lateral (
      select ${columns} from envelope where application_id = k.application_id and event = k.name and ${where} ${end}
    ) e ${end}`;
  return { text, values };
}

/** A subquery of events. */
export function keysOf(events: readonly EventKey[], values: unknown[]): string {
  const ids = values.push(events.map(({ applicationId }) => applicationId));
  const names = values.push(events.map(({ name }) => name));
  return `select application_id, name from unnest($${ids}::uuid[], $${names}::text[]) as k(application_id, name)`;
}

/** Loads what a replay needs of envelopes, oldest first: those whose payloads together take `maxBytes`, and at least one. */
export async function loadForReplay(
  manager: EntityManager,
  spaceId: string,
  found: readonly FoundEnvelope[],
  maxBytes: number,
): Promise<Pick<EnvelopeEntity, 'id' | 'applicationId' | 'event' | 'payload' | 'erasure'>[]> {
  const kept = withinBytes(found, maxBytes).map(({ id }) => id);
  if (kept.length === 0) return [];
  return rows(
    manager,
    `select id, application_id, event, payload, erasure from envelope
     where space_id = $1 and id = any($2::uuid[]) order by id`,
    [spaceId, kept],
  );
}

/** Loads envelopes, newest first: those whose payloads together take at most `maxBytes`, and at least one. */
export async function loadEnvelopes(
  manager: EntityManager,
  spaceId: string,
  found: readonly FoundEnvelope[],
  maxBytes: number,
): Promise<EnvelopeEntity[]> {
  const kept = withinBytes(found, maxBytes).map(({ id }) => id);
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
  'erasure',
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

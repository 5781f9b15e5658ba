import { MAX_FRAME_BYTES } from '@platform/contracts';
import {
  firstPreparedRow,
  firstRow,
  keptPlanRows,
  preparedRows,
  rows,
  type PreparedSql,
  type Sql,
} from '../infra/database/rows.ts';
import { framesAfter, completeFrames } from './frame.ts';

/** Encoded frames from `fromSeq` to `toSeq`. */
export interface Chunk {
  fromSeq: number;
  toSeq: number;
  data: Buffer;
}

/** The right to write a stream, for as long as the fencing token is current. */
export interface Lease {
  streamId: string;
  fencingToken: string;
}

/** The last stored frame of stream `s`, by a single index lookup. */
const HEAD = 'select to_seq from stream_frame where stream_id = s.id order by from_seq desc limit 1';

/** What one writer stores in one flush. */
export interface Batch extends Lease, Chunk {}

/** Creates a stream with a lease of `leaseMs` and its first frames. */
export async function openStream(
  tx: PreparedSql,
  stream: Batch & { segment: number },
  leaseMs: number,
): Promise<void> {
  await preparedRows(
    tx,
    'open_stream',
    `with opened as (
       insert into stream (id, segment, fencing_token, lease_until)
       values ($1, $2, $3, clock_timestamp() + $4::int * interval '1 millisecond')
       returning id
     )
     insert into stream_frame (stream_id, from_seq, to_seq, data)
     select id, $5::int, $6::int, $7::bytea from opened`,
    [
      stream.streamId,
      stream.segment,
      stream.fencingToken,
      leaseMs,
      stream.fromSeq,
      stream.toSeq,
      stream.data,
    ],
  );
}

/** Whether the stream was created for this lease and is still written under it. */
export async function isCurrentLease(sql: Sql, { streamId, fencingToken }: Lease): Promise<boolean> {
  const statement = 'select from stream where id = $1 and fencing_token = $2';
  return (await firstRow(sql, statement, [streamId, fencingToken])) !== null;
}

/** Whether some process writes the stream now. */
export async function isLeased(sql: Sql, streamId: string): Promise<boolean> {
  const leased = await firstRow(
    sql,
    'select from stream where id = $1 and ended_at is null and lease_until > clock_timestamp()',
    [streamId],
  );
  return leased !== null;
}

/** The open streams whose lease has expired. Streams that cannot be ended stay behind the others. */
export async function findExpiredStreams(sql: Sql): Promise<string[]> {
  const expired = await rows<{ id: string }>(
    sql,
    // statement_timestamp(), because no index serves a comparison with clock_timestamp().
    `select id from stream where ended_at is null and lease_until < statement_timestamp()
     order by lease_until desc limit 100`,
  );
  return expired.map(({ id }) => id);
}

/** Returns whether the lease is current. If it is, it stays so until the transaction ends. */
export async function shareLease(tx: PreparedSql, { streamId, fencingToken }: Lease): Promise<boolean> {
  const open = await firstPreparedRow(
    tx,
    'share_stream_lease',
    'select from stream where id = $1 and fencing_token = $2 and ended_at is null for share',
    [streamId, fencingToken],
  );
  return open !== null;
}

/**
 * Locks a stream before it is ended. Returns null if the lease was lost. Later cancel requests wait for the end of the
 * transaction.
 */
export function lockLease(
  tx: PreparedSql,
  { streamId, fencingToken }: Lease,
): Promise<{ cancelRequested: boolean } | null> {
  return firstPreparedRow(
    tx,
    'lock_stream_lease',
    `select cancel_requested_at is not null as cancel_requested from stream
     where id = $1 and fencing_token = $2 and ended_at is null for no key update`,
    [streamId, fencingToken],
  );
}

/** Extends leases by `leaseMs` from now. Returns the ids of the streams whose lease is still current. */
export async function renewLeases(sql: Sql, leases: Lease[], leaseMs: number): Promise<Set<string>> {
  const current = await rows<{ id: string }>(
    sql,
    // A locked stream, such as one that a transaction is ending, must not delay the leases of the others.
    `with current as (
       select id from stream join unnest($1::uuid[], $2::uuid[]) as l(id, fencing_token) using (id)
       where stream.fencing_token = l.fencing_token and ended_at is null
     ), free as (
       select id from stream where id in (select id from current) for no key update skip locked
     ), renewed as (
       update stream set lease_until = clock_timestamp() + $3 * interval '1 millisecond'
       where id in (select id from free)
     )
     select id from current`,
    [leases.map((lease) => lease.streamId), leases.map((lease) => lease.fencingToken), leaseMs],
  );
  return new Set(current.map(({ id }) => id));
}

/** Returns those of the open streams for which a cancel was requested. */
export async function findCancelRequests(sql: Sql, ids: string[]): Promise<string[]> {
  const requested = await rows<{ id: string }>(
    sql,
    'select id from stream where id = any($1::uuid[]) and ended_at is null and cancel_requested_at is not null',
    [ids],
  );
  return requested.map(({ id }) => id);
}

/**
 * Stores the batches whose fencing token is current, in one statement. A batch that is missing from the result has lost
 * its lease. Storing the same batch twice is harmless.
 */
export async function storeBatches(sql: Sql, batches: Batch[]): Promise<Set<string>> {
  let offset = 1;
  const starts = batches.map(({ data }) => {
    const start = offset;
    offset += data.length;
    return start;
  });
  const stored = await rows<{ id: string }>(
    sql,
    // All frames are one binary parameter: escaping them as an array costs more than the insert.
    `insert into stream_frame as f (stream_id, from_seq, to_seq, data)
     select b.id, b.from_seq, b.to_seq, substring($1::bytea from b.start for b.length)
     from unnest($2::uuid[], $3::uuid[], $4::int[], $5::int[], $6::int[], $7::int[])
       as b(id, fencing_token, from_seq, to_seq, start, length)
     join stream s on s.id = b.id and s.fencing_token = b.fencing_token and s.ended_at is null
     on conflict (stream_id, from_seq) do update set to_seq = excluded.to_seq
       where f.to_seq = excluded.to_seq and f.data = excluded.data
     returning f.stream_id as id`,
    [
      Buffer.concat(batches.map((batch) => batch.data)),
      batches.map((batch) => batch.streamId),
      batches.map((batch) => batch.fencingToken),
      batches.map((batch) => batch.fromSeq),
      batches.map((batch) => batch.toSeq),
      starts,
      batches.map((batch) => batch.data.length),
    ],
  );
  return new Set(stored.map(({ id }) => id));
}

/** Stores the last frames and ends the stream. Returns false if the lease was lost or the stream has ended. */
export async function endStream(tx: PreparedSql, batch: Batch): Promise<boolean> {
  const ended = await firstPreparedRow(
    tx,
    'end_stream',
    `with ended as (
       update stream set ended_at = clock_timestamp(), last_seq = $4::int
       where id = $1 and fencing_token = $2 and ended_at is null returning id
     )
     insert into stream_frame (stream_id, from_seq, to_seq, data)
     select id, $3::int, $4::int, $5::bytea from ended returning stream_id`,
    [batch.streamId, batch.fencingToken, batch.fromSeq, batch.toSeq, batch.data],
  );
  return ended !== null;
}

/**
 * Gives an open stream whose lease has expired a new fencing token. Returns null if there is no such stream, or if
 * another transaction has locked it.
 */
export async function takeOverStream(
  tx: Sql,
  streamId: string,
  fencingToken: string,
): Promise<{ segment: number; lastSeq: number; cancelRequested: boolean } | null> {
  return firstRow(
    tx,
    `update stream s set fencing_token = $2
     where s.id = (
       select id from stream where id = $1 and ended_at is null and lease_until < clock_timestamp()
       for no key update skip locked
     )
     returning s.segment, s.cancel_requested_at is not null as cancel_requested,
       coalesce((${HEAD}), 0) as last_seq`,
    [streamId, fencingToken],
  );
}

/** The most rows and bytes in a page. A row that is larger is a page of its own. */
const PAGE_ROWS = 128;
export const PAGE_BYTES = 64 * 1024;

/** A page of the log: encoded frames. */
export interface Page {
  data: Buffer;
  /** The last frame in the page; if the page is empty, the requested position, or the last frame before it. */
  toSeq: number;
  /** The last frame of the stream, once it has ended. */
  lastSeq: number | null;
  /** Whether more frames follow. */
  more: boolean;
}

interface PageRow {
  lastSeq: number | null;
  head: number | null;
  fromSeq: number | null;
  toSeq: number;
  data: Buffer;
}

/**
 * Reads the page after `after` and the state of the stream in one snapshot. Returns null if the stream does not exist.
 * The cost does not depend on the length of the stream: no index contains `to_seq`, so the row at or before the
 * position is found by `from_seq`.
 */
export async function readPage(sql: Sql, streamId: string, after: number): Promise<Page | null> {
  const found = await rows<PageRow>(
    sql,
    `select s.last_seq, (${HEAD}) as head, f.from_seq, f.to_seq, f.data
     from stream s left join lateral (
       select from_seq, to_seq, data, row_number() over w as nth, sum(length(data)) over w as bytes from (
         select from_seq, to_seq, data from stream_frame
         where stream_id = s.id and to_seq > $2 and from_seq >= coalesce((
           select from_seq from stream_frame where stream_id = s.id and from_seq <= $2 + 1
           order by from_seq desc limit 1
         ), 0)
         order by from_seq limit $3
       ) rows window w as (order by from_seq)
     ) f on f.bytes <= $4 or f.nth = 1
     where s.id = $1 order by f.from_seq`,
    [streamId, after, PAGE_ROWS, PAGE_BYTES],
  );
  const [first] = found;
  if (first === undefined) return null;
  const { lastSeq, head } = first;
  const parts = found.flatMap(({ fromSeq, data }, i) => {
    if (fromSeq === null) return [];
    return [i === 0 ? framesAfter(data, fromSeq, after) : data];
  });
  const end = head ?? 0;
  const toSeq = first.fromSeq === null ? Math.min(after, end) : (found.at(-1)?.toSeq ?? after);
  return { data: Buffer.concat(parts), toSeq, lastSeq, more: toSeq < end };
}

/** Returns the last stored frame of each stream that has more frames than `known`. */
export async function readHeads(sql: Sql, known: Map<string, number>): Promise<Map<string, number>> {
  const found = await rows<{ id: string; head: number }>(
    sql,
    `select s.id, f.head from unnest($1::uuid[], $2::int[]) as s(id, known)
     cross join lateral (${HEAD}) as f(head) where f.head > s.known`,
    [[...known.keys()], [...known.values()]],
  );
  return new Map(found.map(({ id, head }) => [id, head]));
}

/** The progress of a stream. */
export interface StreamState {
  lastSeq: number;
  ended: boolean;
  /** Whether its frames have not been purged. */
  kept: boolean;
}

export async function readStates(sql: Sql, ids: string[]): Promise<Map<string, StreamState>> {
  const found = await rows<StreamState & { id: string }>(
    sql,
    // Purging deletes frames from the first one on.
    `select s.id, coalesce(s.last_seq, f.head, 0) as last_seq, s.ended_at is not null as ended,
       exists(select from stream_frame where stream_id = s.id and from_seq = 1) as kept
     from stream s left join lateral (${HEAD}) as f(head) on true
     where s.id = any($1::uuid[])`,
    [ids],
  );
  return new Map(found.map(({ id, ...state }) => [id, state]));
}

/** How many of the last rows of a stream are read, and at most how many of their bytes: room for one frame. */
const TAIL_ROWS = 4;
const TAIL_BYTES = MAX_FRAME_BYTES + 1024;

/** Reads the latest complete frames of each stream. */
export async function readTails(
  sql: Sql,
  ids: string[],
): Promise<Map<string, { lastSeq: number; data: Buffer }>> {
  const found = await rows<{ id: string; lastSeq: number; data: Buffer }>(
    sql,
    `select id, last_seq, substring(data from greatest(1, length(data) - $3 + 1)) as data from (
       select s.id, max(f.to_seq) as last_seq, string_agg(f.data, ''::bytea order by f.from_seq) as data
       from unnest($1::uuid[]) as s(id) cross join lateral (
         select from_seq, to_seq, data from stream_frame where stream_id = s.id order by from_seq desc limit $2
       ) f group by s.id
     ) tails`,
    [ids, TAIL_ROWS, TAIL_BYTES],
  );
  return new Map(found.map(({ id, lastSeq, data }) => [id, { lastSeq, data: completeFrames(data) }]));
}

/** Requests the cancellation of an open stream; its writer notices within 250 ms (`Leases`). */
export async function requestCancel(sql: Sql, streamId: string): Promise<boolean> {
  const open = await firstRow(
    sql,
    `update stream set cancel_requested_at = coalesce(cancel_requested_at, clock_timestamp())
     where id = $1 and ended_at is null returning id`,
    [streamId],
  );
  return open !== null;
}

/** The number of rows that one statement merges or deletes. */
const BATCH_ROWS = 512;

/**
 * Merges the rows of an ended stream, from `fromSeq` on, into rows of up to 64 KB. Returns where the next batch begins,
 * or null at the end.
 */
export async function mergeFrames(
  sql: PreparedSql,
  streamId: string,
  fromSeq: number,
): Promise<number | null> {
  const [batch] = await keptPlanRows<{ toSeq: number | null; rows: number }>(
    sql,
    'merge_frames',
    `with batch as (
       select from_seq, to_seq, data from stream_frame where stream_id = $1 and from_seq >= $2
       order by from_seq limit $3
     ), sized as (
       select from_seq, to_seq, data, (sum(length(data)) over (order by from_seq) - 1) / $4 as bucket from batch
     ), merged as (
       select min(from_seq) as from_seq, max(to_seq) as to_seq, string_agg(data, ''::bytea order by from_seq) as data
       from sized group by bucket having count(*) > 1
     ), gone as (
       delete from stream_frame f using merged m
       where f.stream_id = $1 and f.from_seq > m.from_seq and f.from_seq <= m.to_seq
     ), joined as (
       update stream_frame f set to_seq = m.to_seq, data = m.data from merged m
       where f.stream_id = $1 and f.from_seq = m.from_seq
     )
     select max(to_seq) as to_seq, count(*)::int as rows from batch`,
    [streamId, fromSeq, BATCH_ROWS, PAGE_BYTES],
  );
  return batch?.toSeq != null && batch.rows === BATCH_ROWS ? batch.toSeq + 1 : null;
}

/** The number of streams whose frames are deleted together. */
const BATCH_STREAMS = 100;

/** Deletes a batch of frames of streams that ended more than `days` ago. Returns false if there are none left. */
export async function purgeFrames(sql: Sql, days: number): Promise<boolean> {
  const old = await rows<{ id: string }>(
    sql,
    // statement_timestamp(), because no index serves a comparison with clock_timestamp().
    `select id from stream where frames_kept and ended_at < statement_timestamp() - $1 * interval '1 day'
     order by ended_at limit $2`,
    [days, BATCH_STREAMS],
  );
  if (old.length === 0) return false;
  const ids = old.map(({ id }) => id);
  const gone = await rows(
    sql,
    `delete from stream_frame where ctid = any(array(
       select f.ctid from unnest($1::uuid[]) as s(id) cross join lateral (
         select ctid from stream_frame where stream_id = s.id order by from_seq limit $2
       ) f limit $2))
     returning 1`,
    [ids, BATCH_ROWS],
  );
  if (gone.length < BATCH_ROWS)
    await rows(sql, 'update stream set frames_kept = false where id = any($1::uuid[])', [ids]);
  return true;
}

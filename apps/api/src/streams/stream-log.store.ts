import { MAX_FRAME_BYTES } from '@platform/contracts';
import { firstRow, rows, type Sql } from '../infra/database/rows.ts';
import { framesAfter, completeFrames } from './frame.ts';

/** Stored frames `fromSeq`…`toSeq`, as the bytes that travel. */
export interface Chunk {
  fromSeq: number;
  toSeq: number;
  data: Buffer;
}

export interface Lease {
  streamId: string;
  fencingToken: string;
}

/** How far stream `s` has come, by one look at its key. */
const HEAD = 'select to_seq from stream_frame where stream_id = s.id order by from_seq desc limit 1';

/** What one writer has to store in a flush. */
export interface Batch extends Lease, Chunk {}

/** Opens a stream under a lease of `leaseMs`. */
export async function openStream(
  tx: Sql,
  stream: Lease & { segment: number },
  leaseMs: number,
): Promise<void> {
  await rows(
    tx,
    `insert into stream (id, segment, fencing_token, lease_until)
     values ($1, $2, $3, clock_timestamp() + $4 * interval '1 millisecond')`,
    [stream.streamId, stream.segment, stream.fencingToken, leaseMs],
  );
}

/**
 * Stores the batches whose fencing token is current, in one statement, and tells of each whether a cancel is wished.
 * Who is not in the answer has lost its lease. Sending the same batch twice is harmless.
 */
export async function storeBatches(sql: Sql, batches: Batch[]): Promise<Map<string, { cancel: boolean }>> {
  let offset = 1;
  const starts = batches.map(({ data }) => {
    const start = offset;
    offset += data.length;
    return start;
  });
  const stored = await rows<{ id: string; cancel: boolean }>(
    sql,
    // All frames travel as one binary parameter: escaping them as an array costs more than the insert. The answer
    // looks each stream up by its key: a join with what was inserted would be planned as a loop over all pairs.
    `insert into stream_frame as f (stream_id, from_seq, to_seq, data)
     select b.id, b.from_seq, b.to_seq, substring($1::bytea from b.start for b.length)
     from unnest($2::uuid[], $3::uuid[], $4::int[], $5::int[], $6::int[], $7::int[])
       as b(id, fencing_token, from_seq, to_seq, start, length)
     join stream s on s.id = b.id and s.fencing_token = b.fencing_token and s.ended_at is null
     on conflict (stream_id, from_seq) do update set to_seq = excluded.to_seq
       where f.to_seq = excluded.to_seq and f.data = excluded.data
     returning f.stream_id as id,
       (select s.cancel_requested_at is not null from stream s where s.id = f.stream_id) as cancel`,
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
  return new Map(stored.map((row) => [row.id, { cancel: row.cancel }]));
}

/** Stores the last frames and ends the stream; false where the lease was lost or the stream has ended. */
export async function endStream(tx: Sql, batch: Batch): Promise<boolean> {
  const ended = await firstRow(
    tx,
    `update stream set ended_at = clock_timestamp(), last_seq = $3
     where id = $1 and fencing_token = $2 and ended_at is null returning id`,
    [batch.streamId, batch.fencingToken, batch.toSeq],
  );
  if (ended === null) return false;
  await insertFrames(tx, batch.streamId, batch);
  return true;
}

export async function insertFrames(tx: Sql, streamId: string, chunk: Chunk): Promise<void> {
  await rows(tx, 'insert into stream_frame (stream_id, from_seq, to_seq, data) values ($1, $2, $3, $4)', [
    streamId,
    chunk.fromSeq,
    chunk.toSeq,
    chunk.data,
  ]);
}

/**
 * Takes an open stream whose lease has passed away from its writer; null where there is nothing to take, or where
 * somebody is about to end it.
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
     returning s.segment, s.cancel_requested_at is not null as "cancelRequested",
       coalesce((${HEAD}), 0) as "lastSeq"`,
    [streamId, fencingToken],
  );
}

/** Rows and bytes of the log that a reader takes at a time; a row that is larger alone goes alone. */
const PAGE_ROWS = 128;
export const PAGE_BYTES = 64 * 1024;

/** A piece of the log, as the bytes that travel. */
export interface Page {
  data: Buffer;
  /** The last frame in it; where there is none, the one that was asked for. */
  toSeq: number;
  /** The last frame of all, once the stream has ended. */
  lastSeq: number | null;
  /** Whether there was more than a page. */
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
 * The first page of what is stored after `after`, and where the stream stands, in one snapshot; null for an unknown
 * stream. Costs the same wherever in however long a stream: no index knows `to_seq`, so the row that holds the
 * position, or lies just before it, is looked up by `from_seq`.
 */
export async function readPage(sql: Sql, streamId: string, after: number): Promise<Page | null> {
  const found = await rows<PageRow>(
    sql,
    `select s.last_seq as "lastSeq", (${HEAD}) as head, f.from_seq as "fromSeq", f.to_seq as "toSeq", f.data
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
  const toSeq = first.fromSeq === null ? after : (found.at(-1)?.toSeq ?? after);
  return { data: Buffer.concat(parts), toSeq, lastSeq, more: toSeq < (head ?? 0) };
}

/** How far those streams have come that are further than is known. */
export async function readHeads(sql: Sql, known: Map<string, number>): Promise<Map<string, number>> {
  const found = await rows<{ id: string; head: number }>(
    sql,
    `select s.id, f.head from unnest($1::uuid[], $2::int[]) as s(id, known)
     cross join lateral (${HEAD}) as f(head) where f.head > s.known`,
    [[...known.keys()], [...known.values()]],
  );
  return new Map(found.map(({ id, head }) => [id, head]));
}

/** How far a stream has come. */
export interface StreamState {
  lastSeq: number;
  ended: boolean;
  /** Whether its frames are still kept. */
  kept: boolean;
}

export async function readStates(sql: Sql, ids: string[]): Promise<Map<string, StreamState>> {
  const found = await rows<StreamState & { id: string }>(
    sql,
    // Frames are deleted from the first on.
    `select s.id, coalesce(s.last_seq, f.head, 0) as "lastSeq", s.ended_at is not null as ended,
       exists(select from stream_frame where stream_id = s.id and from_seq = 1) as kept
     from stream s left join lateral (${HEAD}) as f(head) on true
     where s.id = any($1::uuid[])`,
    [ids],
  );
  return new Map(found.map(({ id, ...state }) => [id, state]));
}

/** The last rows of each stream, and no more of them than a frame can have bytes. */
const TAIL_ROWS = 4;
const TAIL_BYTES = MAX_FRAME_BYTES + 1024;

/** The latest whole frames of each stream. */
export async function readTails(
  sql: Sql,
  ids: string[],
): Promise<Map<string, { lastSeq: number; data: Buffer }>> {
  const found = await rows<{ id: string; lastSeq: number; data: Buffer }>(
    sql,
    `select id, "lastSeq", substring(data from greatest(1, length(data) - $3 + 1)) as data from (
       select s.id, max(f.to_seq) as "lastSeq", string_agg(f.data, ''::bytea order by f.from_seq) as data
       from unnest($1::uuid[]) as s(id) cross join lateral (
         select from_seq, to_seq, data from stream_frame where stream_id = s.id order by from_seq desc limit $2
       ) f group by s.id
     ) tails`,
    [ids, TAIL_ROWS, TAIL_BYTES],
  );
  return new Map(found.map(({ id, lastSeq, data }) => [id, { lastSeq, data: completeFrames(data) }]));
}

/** Wishes a stream cancelled; its writer learns of it at its next flush or within a quarter second. */
export async function requestCancel(sql: Sql, streamId: string): Promise<boolean> {
  const open = await firstRow(
    sql,
    `update stream set cancel_requested_at = coalesce(cancel_requested_at, clock_timestamp())
     where id = $1 and ended_at is null returning id`,
    [streamId],
  );
  return open !== null;
}

/** Rows that are merged, or deleted, by one statement. */
const BATCH_ROWS = 512;

/**
 * Merges rows of an ended stream, from `fromSeq` on, into few of at most 64 KB; readers see the one form or the other.
 * Answers where the next batch begins, or null.
 */
export async function mergeFrames(sql: Sql, streamId: string, fromSeq: number): Promise<number | null> {
  const batch = await firstRow<{ toSeq: number | null; rows: number }>(
    sql,
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
     select max(to_seq) as "toSeq", count(*)::int as rows from batch`,
    [streamId, fromSeq, BATCH_ROWS, PAGE_BYTES],
  );
  return batch?.toSeq != null && batch.rows === BATCH_ROWS ? batch.toSeq + 1 : null;
}

/** Streams whose frames are deleted together. */
const BATCH_STREAMS = 100;

/** Deletes a batch of the frames of streams that ended so many days ago; false where there is nothing left of them. */
export async function purgeFrames(sql: Sql, days: number): Promise<boolean> {
  const old = await rows<{ id: string }>(
    sql,
    // statement_timestamp(), for no index serves a comparison with clock_timestamp().
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

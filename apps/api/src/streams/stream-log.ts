import { firstRow, rows, type Sql } from '../infra/database/rows.ts';

/** Stored frames `fromSeq`…`toSeq`, as the bytes that travel. */
export interface Chunk {
  fromSeq: number;
  toSeq: number;
  data: Buffer;
}

export interface Claimed {
  streamId: string;
  claim: string;
}

/** What one writer has to store in a flush. */
export interface Batch extends Claimed, Chunk {}

/** Opens a stream under a claim that is good for `leaseMs`. */
export async function openStream(
  tx: Sql,
  stream: Claimed & { segment: number },
  leaseMs: number,
): Promise<void> {
  await rows(
    tx,
    `insert into stream (id, segment, claim, lease_until)
     values ($1, $2, $3, clock_timestamp() + $4 * interval '1 millisecond')`,
    [stream.streamId, stream.segment, stream.claim, leaseMs],
  );
}

/**
 * Stores the batches whose claim still stands, in one statement, and tells of each whether a cancel is wished.
 * Who is not in the answer has lost its claim. Sending the same batch twice is harmless.
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
       as b(id, claim, from_seq, to_seq, start, length)
     join stream s on s.id = b.id and s.claim = b.claim and s.ended_at is null
     on conflict (stream_id, from_seq) do update set to_seq = excluded.to_seq
       where f.to_seq = excluded.to_seq and f.data = excluded.data
     returning f.stream_id as id,
       (select s.cancel_requested_at is not null from stream s where s.id = f.stream_id) as cancel`,
    [
      Buffer.concat(batches.map((batch) => batch.data)),
      batches.map((batch) => batch.streamId),
      batches.map((batch) => batch.claim),
      batches.map((batch) => batch.fromSeq),
      batches.map((batch) => batch.toSeq),
      starts,
      batches.map((batch) => batch.data.length),
    ],
  );
  return new Map(stored.map((row) => [row.id, { cancel: row.cancel }]));
}

/** Stores the last frames and ends the stream; false where the claim was lost or the stream has ended. */
export async function endStream(tx: Sql, batch: Batch): Promise<boolean> {
  const ended = await firstRow(
    tx,
    `update stream set ended_at = clock_timestamp(), last_seq = $3
     where id = $1 and claim = $2 and ended_at is null returning id`,
    [batch.streamId, batch.claim, batch.toSeq],
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
export async function takeOver(
  tx: Sql,
  streamId: string,
  claim: string,
): Promise<{ segment: number; lastSeq: number; cancelWished: boolean } | null> {
  return firstRow(
    tx,
    `update stream s set claim = $2
     where s.id = (
       select id from stream where id = $1 and ended_at is null and lease_until < clock_timestamp()
       for no key update skip locked
     )
     returning s.segment, s.cancel_requested_at is not null as "cancelWished",
       coalesce((select max(to_seq) from stream_frame where stream_id = s.id), 0) as "lastSeq"`,
    [streamId, claim],
  );
}

/** Rows of the log, and about how many bytes of them, that a reader takes at a time. */
const PAGE_ROWS = 64;
const PAGE_BYTES = 256 * 1024;

/**
 * What is stored after `after`, and where the stream stands, in one snapshot; null for an unknown stream.
 * `more`: there is more to be read than a reader should hold at once.
 */
export async function readFrames(
  sql: Sql,
  streamId: string,
  after: number,
): Promise<{ chunks: Chunk[]; lastSeq: number | null; more: boolean } | null> {
  const found = await rows<{ lastSeq: number | null; fromSeq: number | null; toSeq: number; data: Buffer }>(
    sql,
    `select s.last_seq as "lastSeq", f.from_seq as "fromSeq", f.to_seq as "toSeq", f.data
     from stream s left join lateral (
       select from_seq, to_seq, data, sum(length(data)) over (order by from_seq) - length(data) as before from (
         select from_seq, to_seq, data from stream_frame
         where stream_id = s.id and to_seq > $2 order by from_seq limit $3
       ) rows
     ) f on f.before < $4
     where s.id = $1 order by f.from_seq`,
    [streamId, after, PAGE_ROWS, PAGE_BYTES],
  );
  const [first] = found;
  if (first === undefined) return null;
  const chunks = found.flatMap(({ fromSeq, toSeq, data }) =>
    fromSeq === null ? [] : [{ fromSeq, toSeq, data }],
  );
  const bytes = chunks.reduce((sum, { data }) => sum + data.length, 0);
  return { chunks, lastSeq: first.lastSeq, more: chunks.length === PAGE_ROWS || bytes >= PAGE_BYTES };
}

/** The last rows of each stream. */
const TAIL_ROWS = 4;

export async function readTails(
  sql: Sql,
  ids: string[],
): Promise<Map<string, { lastSeq: number; data: Buffer }>> {
  const found = await rows<{ id: string; lastSeq: number; data: Buffer }>(
    sql,
    `select s.id, max(f.to_seq) as "lastSeq", string_agg(f.data, ''::bytea order by f.from_seq) as data
     from unnest($1::uuid[]) as s(id) cross join lateral (
       select from_seq, to_seq, data from stream_frame where stream_id = s.id order by from_seq desc limit $2
     ) f group by s.id`,
    [ids, TAIL_ROWS],
  );
  return new Map(found.map(({ id, ...tail }) => [id, tail]));
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

/** Merges the rows of an ended stream into few of at most 64 KB; readers see the one form or the other. */
export async function mergeFrames(tx: Sql, streamId: string): Promise<void> {
  await rows(
    tx,
    `with sized as (
       select from_seq, to_seq, data, (sum(length(data)) over (order by from_seq) - 1) / 65536 as bucket
       from stream_frame where stream_id = $1
     ), merged as (
       select min(from_seq) as from_seq, max(to_seq) as to_seq, string_agg(data, ''::bytea order by from_seq) as data
       from sized group by bucket having count(*) > 1
     ), gone as (
       delete from stream_frame f using merged m
       where f.stream_id = $1 and f.from_seq > m.from_seq and f.to_seq <= m.to_seq
     )
     update stream_frame f set to_seq = m.to_seq, data = m.data from merged m
     where f.stream_id = $1 and f.from_seq = m.from_seq`,
    [streamId],
  );
}

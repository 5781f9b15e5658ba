import type { EntityManager } from 'typeorm';
import { exactlyOne, firstRow, keptPlanRows, rows, type Sql } from '../../infra/database/rows.ts';
import { timeOfId } from '../../infra/requests/instant.ts';

const MINUTE_MS = 60_000;
/** The start of the current minute. Minutes and hours are the same in UTC and in the time zone of any server. */
const THIS_MINUTE = `date_trunc('minute', clock_timestamp())`;
/** Minutes that have passed are counted again for as long, because a transaction can commit late. */
const LATE = `interval '5 minutes'`;
/** How long minutes are kept: the summary shows 30 days. */
export const KEPT_DAYS = 31;
const KEPT = `interval '${KEPT_DAYS} days'`;
/** What one transaction counts at most if the counts are behind. */
const CHUNK = `interval '30 minutes'`;

const COUNTS = `
  count(*) filter (where status = 'DISPATCHED') as dispatched, count(*) filter (where status = 'FAILED') as failed,
  count(*) filter (where status = 'SKIPPED') as skipped, count(*) filter (where status = 'PENDING') as pending,
  coalesce(sum(missed_count), 0) as missed, coalesce(sum(payload_bytes), 0) as bytes`;
/** The columns of a minute that its hour adds up. */
export const FIGURES = [
  'dispatched',
  'failed',
  'skipped',
  'pending',
  'missed',
  'runs_succeeded',
  'runs_failed',
  'runs_cancelled',
  'runs_waiting',
] as const;
const ADDED_UP = [...FIGURES, 'bytes'];
const SUMS = ADDED_UP.map((figure) => `sum(${figure})`).join(', ');
/** Runs are read while their minute is new, and later only where some wait. */
const NEW = `interval '2 minutes'`;
/** When a minute of which runs wait is counted again: the longer ago it was, the later. */
const NEXT_COUNT = `clock_timestamp()
  + least(interval '10 minutes', greatest(interval '10 seconds', (clock_timestamp() - minute) / 10))`;

interface Period {
  from: Date;
  to: Date;
  /** From when on runs are counted, too. */
  runsFrom: Date;
  /** Whether passed minutes after `to` are not counted yet. */
  isBehind: boolean;
}

/**
 * Returns the minutes to be counted next, and locks the progress; null if another process is counting. Skips the time before
 * the next envelope.
 */
export async function lockNextPeriod(tx: Sql): Promise<Period | null> {
  const progress = await firstRow<{ start: Date; runsStart: Date }>(
    tx,
    `select greatest(least(counted_until, ${THIS_MINUTE} - ${LATE}), ${THIS_MINUTE} - ${KEPT}) as start,
       least(counted_until, ${THIS_MINUTE} - ${NEW}) as runs_start
     from event_count_progress for update skip locked`,
  );
  if (progress === null) return null;
  // A statement of its own: one that locks rows must not prune partitions as it executes.
  return exactlyOne(
    tx,
    `with period as (
       select greatest($1::timestamptz, least(${THIS_MINUTE} - ${LATE}, coalesce((
         select date_trunc('minute', emitted_at) - interval '1 minute' from envelope
         where id >= uuid_v7_floor($1::timestamptz) order by id limit 1), 'infinity'))) as start
     )
     select start as from, least(start + ${CHUNK}, ${THIS_MINUTE}) as to, greatest(start, $2::timestamptz) as runs_from,
       start + ${CHUNK} < ${THIS_MINUTE} as is_behind
     from period`,
    [progress.start, progress.runsStart],
  );
}

/**
 * Counts the envelopes of whole minutes, again if they were counted before. Requires the lock of the progress; `finishPeriod`
 * ends it.
 */
export async function countPeriod(tx: Sql, { from, to }: Period): Promise<void> {
  // Before the envelopes are read: a replay that commits afterwards waits, and then asks to count again.
  await rows(
    tx,
    `select 1 from event_minute where minute >= $1 and minute < $2
     order by space_id, minute, application_id, event for update`,
    [from, to],
  );
  await rows(
    tx,
    `insert into event_minute as m (space_id, minute, application_id, event, dispatched, failed, skipped, pending, missed,
       bytes)
     select e.space_id, g.minute, e.application_id, e.event, e.dispatched, e.failed, e.skipped, e.pending, e.missed,
       e.bytes
     from generate_series($1::timestamptz, $2::timestamptz - interval '1 minute', interval '1 minute') as g(minute)
     cross join lateral (
       select space_id, application_id, event, ${COUNTS} from envelope
       where id >= uuid_v7_floor(g.minute) and id < uuid_v7_floor(g.minute + interval '1 minute')
         and id >= uuid_v7_floor($1::timestamptz) and id < uuid_v7_floor($2::timestamptz)
       group by 1, 2, 3
     ) e
     order by 1, 2, 3, 4
     on conflict (space_id, minute, application_id, event) do update set
       dispatched = excluded.dispatched, failed = excluded.failed, skipped = excluded.skipped,
       pending = excluded.pending, missed = excluded.missed, bytes = excluded.bytes, needs_count = false, counted_at = clock_timestamp()
     where m.needs_count or (m.dispatched, m.failed, m.skipped, m.pending, m.missed, m.bytes) is distinct from
       (excluded.dispatched, excluded.failed, excluded.skipped, excluded.pending, excluded.missed, excluded.bytes)`,
    [from, to],
  );
}

/** The runs that an event has started within a minute. */
export interface CountedRuns {
  spaceId: string;
  minute: Date;
  applicationId: string;
  event: string;
  succeeded: number;
  failed: number;
  cancelled: number;
  waiting: number;
}

/** Stores how many runs were counted. Requires the lock of the progress. */
export async function storeRunCounts(tx: Sql, counted: readonly CountedRuns[]): Promise<void> {
  if (counted.length === 0) return;
  const column = <T>(value: (one: CountedRuns) => T) => counted.map(value);
  await rows(
    tx,
    `insert into event_minute as m (space_id, minute, application_id, event, dispatched, failed, skipped, pending,
       runs_succeeded, runs_failed, runs_cancelled, runs_waiting, count_at)
     select space_id, minute, application_id, event, 0, 0, 0, 0, succeeded, failed, cancelled, waiting,
       case when waiting > 0 then ${NEXT_COUNT} end
     from unnest($1::uuid[], $2::timestamptz[], $3::uuid[], $4::text[], $5::int[], $6::int[], $7::int[], $8::int[])
       as c(space_id, minute, application_id, event, succeeded, failed, cancelled, waiting)
     order by 1, 2, 3, 4
     on conflict (space_id, minute, application_id, event) do update set
       runs_succeeded = excluded.runs_succeeded, runs_failed = excluded.runs_failed,
       runs_cancelled = excluded.runs_cancelled, runs_waiting = excluded.runs_waiting, count_at = excluded.count_at
     where excluded.runs_waiting > 0 or (m.runs_succeeded, m.runs_failed, m.runs_cancelled, m.runs_waiting) is distinct from
       (excluded.runs_succeeded, excluded.runs_failed, excluded.runs_cancelled, excluded.runs_waiting)`,
    [
      column(({ spaceId }) => spaceId),
      column(({ minute }) => minute),
      column(({ applicationId }) => applicationId),
      column(({ event }) => event),
      column(({ succeeded }) => succeeded),
      column(({ failed }) => failed),
      column(({ cancelled }) => cancelled),
      column(({ waiting }) => waiting),
    ],
  );
}

/** Adds up the hours of a period whose minutes are counted. */
export async function finishPeriod(tx: Sql, { from, to }: Period): Promise<void> {
  await rows(
    tx,
    `insert into event_hour as h (space_id, hour, application_id, event, ${ADDED_UP.join(', ')})
     select space_id, date_trunc('hour', minute), application_id, event, ${SUMS} from event_minute
     where minute >= date_trunc('hour', $1::timestamptz)
       and minute < date_trunc('hour', $2::timestamptz - interval '1 minute') + interval '1 hour'
     group by 1, 2, 3, 4 order by 1, 2, 3, 4
     ${ON_HOUR_CONFLICT}`,
    [from, to],
  );
  await rows(tx, 'update event_count_progress set counted_until = greatest(counted_until, $1)', [to]);
}

/** Locks the progress; false if another process is counting. */
export async function lockProgress(tx: Sql): Promise<boolean> {
  const locked = await rows(tx, 'select 1 from event_count_progress for update skip locked');
  return locked.length > 0;
}

const ON_HOUR_CONFLICT = `
  on conflict (space_id, hour, application_id, event) do update set
    ${ADDED_UP.map((figure) => `${figure} = excluded.${figure}`).join(', ')}
  where (${ADDED_UP.map((figure) => `h.${figure}`).join(', ')})
    is distinct from (${ADDED_UP.map((figure) => `excluded.${figure}`).join(', ')})`;

/** The envelopes of an event in a minute. */
export interface CountedGroup {
  spaceId: string;
  minute: Date;
  applicationId: string;
  event: string;
  /** How many envelopes and runs there were when they were counted last. */
  size: number;
}

const SIZE =
  'dispatched + failed + skipped + pending + runs_succeeded + runs_failed + runs_cancelled + runs_waiting';

/** Lists groups that have PENDING envelopes, or that changed since they were counted, the longest ago first, and locks them. */
export function lockOpenGroups(tx: Sql, limit: number): Promise<CountedGroup[]> {
  return rows(
    tx,
    `select space_id, minute, application_id, event, ${SIZE} as size
     from event_minute where pending > 0 or needs_count order by counted_at limit $1 for update skip locked`,
    [limit],
  );
}

/** Lists groups of which runs wait and are due to be counted again, and locks them. */
export function lockWaitingGroups(tx: Sql, limit: number): Promise<CountedGroup[]> {
  return rows(
    tx,
    `select space_id, minute, application_id, event, ${SIZE} as size
     from event_minute where count_at <= statement_timestamp() order by count_at limit $1 for update skip locked`,
    [limit],
  );
}

const GROUPS = `unnest($1::uuid[], $2::timestamptz[], $3::uuid[], $4::text[]) as k(space_id, minute, application_id, event)`;

/** Counts the envelopes of groups that the transaction has locked. Requires the lock of the progress. */
export async function recountGroups(tx: EntityManager, groups: readonly CountedGroup[]): Promise<void> {
  if (groups.length === 0) return;
  await keptPlanRows(
    tx,
    'recount_groups',
    `update event_minute m set dispatched = c.dispatched, failed = c.failed, skipped = c.skipped, pending = c.pending,
       missed = c.missed, bytes = c.bytes, needs_count = false, count_at = null, counted_at = clock_timestamp()
     from ${GROUPS} cross join lateral (
       select ${COUNTS} from envelope e
       where e.application_id = k.application_id and e.event = k.event
         and e.id >= uuid_v7_floor(k.minute) and e.id < uuid_v7_floor(k.minute + interval '1 minute')
     ) c
     where m.space_id = k.space_id and m.minute = k.minute and m.application_id = k.application_id and m.event = k.event`,
    keysOfGroups(groups),
  );
}

function keysOfGroups(groups: readonly CountedGroup[]): unknown[] {
  return [
    groups.map(({ spaceId }) => spaceId),
    groups.map(({ minute }) => minute),
    groups.map(({ applicationId }) => applicationId),
    groups.map(({ event }) => event),
  ];
}

/** Adds up the hours of groups that are counted. Older hours stay: some of their minutes may have been purged. */
export async function addUpHours(tx: Sql, groups: readonly CountedGroup[]): Promise<void> {
  if (groups.length === 0) return;
  await rows(
    tx,
    `insert into event_hour as h (space_id, hour, application_id, event, ${ADDED_UP.join(', ')})
     select m.space_id, k.hour, m.application_id, m.event, ${SUMS}
     from (
       select distinct space_id, date_trunc('hour', minute) as hour, application_id, event from ${GROUPS}
     ) k
     join event_minute m on m.space_id = k.space_id and m.application_id = k.application_id and m.event = k.event
       and m.minute >= k.hour and m.minute < k.hour + interval '1 hour'
     where k.hour >= date_trunc('hour', statement_timestamp() - ${KEPT})
     group by 1, 2, 3, 4 order by 1, 2, 3, 4
     ${ON_HOUR_CONFLICT}`,
    keysOfGroups(groups),
  );
}

/** Has the minutes of envelopes or runs counted again, because their status changes. Locks the counts, so it comes late. */
export async function requestCount(
  tx: Sql,
  spaceId: string,
  envelopes: readonly { id: string; applicationId: string; event: string }[],
): Promise<void> {
  const groups = new Map(
    envelopes.map(({ id, applicationId, event }) => {
      const minute = new Date(Math.floor(timeOfId(id) / MINUTE_MS) * MINUTE_MS);
      return [`${minute.getTime()} ${applicationId} ${event}`, { minute, applicationId, event }];
    }),
  );
  if (groups.size === 0) return;
  const wanted = [...groups.values()];
  await rows(
    tx,
    `with locked as (
       select m.space_id, m.minute, m.application_id, m.event
       from unnest($2::timestamptz[], $3::uuid[], $4::text[]) as k(minute, application_id, event)
       join event_minute m on m.space_id = $1 and m.minute = k.minute and m.application_id = k.application_id
         and m.event = k.event
       order by 1, 2, 3, 4 for update of m
     )
     update event_minute m set needs_count = true from locked l
     where m.space_id = l.space_id and m.minute = l.minute and m.application_id = l.application_id
       and m.event = l.event`,
    [
      spaceId,
      wanted.map(({ minute }) => minute),
      wanted.map(({ applicationId }) => applicationId),
      wanted.map(({ event }) => event),
    ],
  );
}

/**
 * Has the minutes of runs counted that are stored later than their ids were made. Those minutes may have no counts yet. New ones
 * are counted anyway. Locks the counts, so it comes last.
 */
export async function requestRunCount(
  tx: Sql,
  runs: readonly { id: string; spaceId: string; applicationId: string; event: string }[],
): Promise<void> {
  if (runs.length === 0) return;
  await rows(
    tx,
    `insert into event_minute (space_id, minute, application_id, event, dispatched, failed, skipped, pending, needs_count)
     select distinct space_id, date_trunc('minute', queued_at), application_id, event, 0, 0, 0, 0, true
     from unnest($1::uuid[], $2::timestamptz[], $3::uuid[], $4::text[]) as r(space_id, queued_at, application_id, event)
     where queued_at < ${THIS_MINUTE} - interval '1 minute'
     order by 1, 2, 3, 4
     on conflict (space_id, minute, application_id, event) do update set needs_count = true`,
    [
      runs.map(({ spaceId }) => spaceId),
      runs.map(({ id }) => new Date(timeOfId(id))),
      runs.map(({ applicationId }) => applicationId),
      runs.map(({ event }) => event),
    ],
  );
}

/** The beginning of the oldest month whose envelopes are kept. */
const keptSince = (days: string) =>
  `date_trunc('month', statement_timestamp() - ${days}::int * interval '1 day', 'UTC')`;

/** What the envelopes of an event take. */
export interface EventSize {
  applicationId: string;
  event: string;
  count: number;
  bytes: number;
}

/** Adds up the payloads of a space by event, of envelopes that are kept for `days`. */
export function sumBytes(sql: Sql, spaceId: string, days: number): Promise<EventSize[]> {
  return rows(
    sql,
    `select application_id, event, sum(dispatched + failed + skipped + pending)::float8 as count, sum(bytes)::float8 as bytes
     from event_hour where space_id = $1 and hour >= ${keptSince('$2')} group by 1, 2`,
    [spaceId, days],
  );
}

/** Returns until when envelopes are counted. */
export async function getCountedUntil(sql: Sql): Promise<Date> {
  const { until } = await exactlyOne<{ until: Date }>(
    sql,
    'select counted_until as until from event_count_progress',
  );
  return until;
}

/** Deletes counts that no summary shows any longer, and whose envelopes are not kept for `days` either. */
export async function purgeCounts(sql: Sql, days: number, limit: number): Promise<number> {
  const { deleted } = await exactlyOne<{ deleted: number }>(
    sql,
    `with minutes as (
       delete from event_minute where ctid = any(array(
         select ctid from event_minute where minute < statement_timestamp() - ${KEPT} - interval '1 hour' limit $1))
       returning 1
     ), hours as (
       delete from event_hour where ctid = any(array(
         select ctid from event_hour
         where hour < least(statement_timestamp() - ${KEPT} - interval '1 hour', ${keptSince('$2')}) limit $1))
       returning 1
     )
     select greatest((select count(*) from minutes), (select count(*) from hours))::int as deleted`,
    [limit, days],
  );
  return deleted;
}

export interface SilentSubscription {
  id: string;
  spaceId: string;
  applicationId: string;
  event: string;
  taskId: string;
  /** The last hour in which the event was emitted. */
  lastAt: Date;
}

/** Lists the ids of enabled subscriptions after one of them. */
export async function listSubscribing(sql: Sql, after: string | null, limit: number): Promise<string[]> {
  const found = await rows<{ id: string }>(
    sql,
    `select id from subscription where id > coalesce($1::uuid, '00000000-0000-0000-0000-000000000000')
       and enabled and deleted_at is null and retired_at is null order by id limit $2`,
    [after, limit],
  );
  return found.map(({ id }) => id);
}

/**
 * Lists those subscriptions whose event was emitted on each of seven days, last between one day and three days ago. One lookup for
 * each, and at most 168 rows of those whose event came last then.
 */
export function listSilent(sql: Sql, ids: readonly string[]): Promise<SilentSubscription[]> {
  return rows(
    sql,
    `select s.id, s.space_id, s.application_id, s.event, s.task_id, l.hour as last_at
     from subscription s cross join lateral (
       select hour from event_hour h
       where h.space_id = s.space_id and h.application_id = s.application_id and h.event = s.event
       order by hour desc limit 1
     ) l
     where s.id = any($1::uuid[]) and l.hour < statement_timestamp() - interval '25 hours'
       and l.hour > statement_timestamp() - interval '3 days' and s.created_at <= l.hour - interval '6 days'
       and 7 = (
         select count(distinct floor(extract(epoch from l.hour - h.hour) / 86400)) from event_hour h
         where h.space_id = s.space_id and h.application_id = s.application_id and h.event = s.event
           and h.hour > l.hour - interval '7 days')
     order by s.id`,
    [ids],
  );
}

import { exactlyOne, firstRow, rows, type Sql } from '../../infra/database/rows.ts';
import { smallestIdAt } from '../../infra/requests/instant.ts';
import type { EventKey } from '../catalog/catalog.store.ts';
import { ID_SLACK_MS } from '../records/envelopes.store.ts';
import { FIGURES } from './event-counts.store.ts';
import type { Counts } from './summary-window.ts';

/** Envelopes that may still change often, or commit late, are counted when they are shown. */
const UNCERTAIN = `interval '2 minutes'`;

export interface SummaryRow extends Counts {
  /** Null in a row of an event. */
  start: Date | null;
  /** Null in a row of a bucket. */
  applicationId: string | null;
  event: string | null;
}

export interface CountedWindow {
  from: Date;
  /** Exclusive. */
  to: Date;
  bucketSeconds: number;
  /** Whether whole hours are read as such: for windows of whole hours. */
  byHour: boolean;
  /** From when on envelopes are read, because their counts may not be complete. */
  liveFrom: Date;
}

export interface SummaryWindow extends CountedWindow {
  topEvents: number;
}

/** The statuses of the envelopes that were emitted within a bucket. */
export interface BucketRow {
  start: Date;
  dispatched: number;
  failed: number;
  skipped: number;
  pending: number;
}

/** Returns the time by the clock of the database, and from when on a summary counts envelopes and runs itself. */
export function readClock(sql: Sql): Promise<{ now: Date; liveFrom: Date }> {
  return exactlyOne(
    sql,
    `select clock_timestamp() as now,
       least(counted_until, date_trunc('minute', clock_timestamp())) - ${UNCERTAIN} as live_from from event_count_progress`,
  );
}

const SUMS = FIGURES.map((figure) => `sum(${figure})::float8 as ${figure}`).join(', ');

/** The counts of a window, as `counted`, of which `$1` to `$7` are the values. `events`: conditions on the event. */
function countedIn(spaceId: string, window: CountedWindow, events = ''): { text: string; values: unknown[] } {
  const { from, to, bucketSeconds, byHour, liveFrom } = window;
  const figures = `application_id, event, ${FIGURES.join(', ')}`;
  const hours = `
    select hour as at, ${figures} from event_hour, bounds b
    where space_id = $1 and hour >= $2 and hour < least(b.minutes_from, $3) ${events}
    union all`;
  const text = `
    bounds as materialized (
      select $6::timestamptz as live_from,
        ${byHour ? `greatest($2, date_trunc('hour', $6::timestamptz))` : '$2::timestamptz'} as minutes_from
    ), counted as materialized (
      ${byHour ? hours : ''}
      select minute as at, ${figures} from event_minute, bounds b
      where space_id = $1 and minute >= b.minutes_from and minute < least(b.live_from, $3) ${events}
      union all
      select emitted_at, application_id, event, (status = 'DISPATCHED')::int, (status = 'FAILED')::int,
        (status = 'SKIPPED')::int, (status = 'PENDING')::int, missed_count, 0, 0, 0, 0
      from envelope where space_id = $1 and id >= (select uuid_v7_floor(live_from) from bounds) and id >= $5::uuid
        and id < $7::uuid and emitted_at < $3 ${events}
    ), bucketed as (
      select to_timestamp(floor(extract(epoch from at) / $4) * $4) as start, ${SUMS} from counted group by 1
    )`;
  const ids = [from.getTime(), to.getTime() + ID_SLACK_MS].map(smallestIdAt);
  const values = [spaceId, from, to, bucketSeconds, ids[0], liveFrom, ids[1]];
  return { text, values };
}

/** Adds up the envelopes of a space by bucket, and those of the most frequent events. */
export function summarize(sql: Sql, spaceId: string, window: SummaryWindow): Promise<SummaryRow[]> {
  const { text, values } = countedIn(spaceId, window);
  return rows(
    sql,
    `with ${text}
     (select start, null::uuid as application_id, null as event, ${FIGURES.join(', ')} from bucketed)
     union all
     (select null, application_id, event, ${SUMS} from counted group by application_id, event
      having sum(dispatched + failed + skipped + pending) > 0
      order by sum(dispatched + failed + skipped + pending) desc, event, application_id limit $8)`,
    [...values, window.topEvents],
  );
}

/** Adds up the envelopes of a space by bucket, of all events or of some. The window can have ended. */
export function sumBuckets(
  sql: Sql,
  spaceId: string,
  window: CountedWindow,
  events: readonly EventKey[] | null,
): Promise<BucketRow[]> {
  const { text, values } = bucketsStatement(spaceId, window, events);
  return rows(sql, text, values);
}

export function bucketsStatement(
  spaceId: string,
  window: CountedWindow,
  events: readonly EventKey[] | null,
): { text: string; values: unknown[] } {
  const ofEvents =
    events === null ? '' : 'and (application_id, event) in (select * from unnest($8::uuid[], $9::text[]))';
  const { text, values } = countedIn(spaceId, window, ofEvents);
  if (events !== null)
    values.push(
      events.map((one) => one.applicationId),
      events.map((one) => one.name),
    );
  return { text: `with ${text} select start, dispatched, failed, skipped, pending from bucketed`, values };
}

/** Returns the first hour of which events of a space are counted; null if there is none. */
export async function getFirstHour(sql: Sql, spaceId: string): Promise<Date | null> {
  const row = await firstRow<{ hour: Date }>(
    sql,
    'select hour from event_hour where space_id = $1 order by hour limit 1',
    [spaceId],
  );
  return row?.hour ?? null;
}

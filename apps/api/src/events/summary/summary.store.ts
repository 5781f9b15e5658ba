import { exactlyOne, rows, type Sql } from '../../infra/database/rows.ts';
import { FIGURES } from './event-counts.store.ts';
import { smallestIdAt } from '../../infra/requests/instant.ts';
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

export interface SummaryWindow {
  from: Date;
  /** Exclusive. */
  to: Date;
  bucketSeconds: number;
  /** Whether whole hours are read as such: for windows of whole hours. */
  byHour: boolean;
  topEvents: number;
  /** From when on envelopes are read, because their counts may not be complete. */
  liveFrom: Date;
}

/** Returns the time by the clock of the database, and from when on a summary counts envelopes and runs itself. */
export function readClock(sql: Sql): Promise<{ now: Date; liveFrom: Date }> {
  return exactlyOne(
    sql,
    `select clock_timestamp() as now,
       least(counted_until, date_trunc('minute', clock_timestamp())) - ${UNCERTAIN} as live_from from event_count_progress`,
  );
}

/** Adds up the envelopes of a space by bucket, and those of the most frequent events. */
export function summarize(
  sql: Sql,
  spaceId: string,
  { from, to, bucketSeconds, byHour, topEvents, liveFrom }: SummaryWindow,
): Promise<SummaryRow[]> {
  const sums = FIGURES.map((figure) => `sum(${figure})::float8 as ${figure}`).join(', ');
  const figures = `application_id, event, ${FIGURES.join(', ')}`;
  const hours = `
    select hour as at, ${figures} from event_hour, bounds b
    where space_id = $1 and hour >= $2 and hour < b.minutes_from
    union all`;
  return rows(
    sql,
    `with bounds as materialized (
       select $7::timestamptz as live_from,
         ${byHour ? `greatest($2, date_trunc('hour', $7::timestamptz))` : '$2::timestamptz'} as minutes_from
     ), counted as materialized (
       ${byHour ? hours : ''}
       select minute as at, ${figures} from event_minute, bounds b
       where space_id = $1 and minute >= b.minutes_from and minute < b.live_from
       union all
       select emitted_at, application_id, event, (status = 'DISPATCHED')::int, (status = 'FAILED')::int,
         (status = 'SKIPPED')::int, (status = 'PENDING')::int, missed_count, 0, 0, 0, 0
       from envelope where space_id = $1 and id >= (select uuid_v7_floor(live_from) from bounds) and id >= $6::uuid
         and emitted_at < $3
     )
     (select to_timestamp(floor(extract(epoch from at) / $4) * $4) as start, null::uuid as application_id,
        null as event, ${sums} from counted group by 1)
     union all
     (select null, application_id, event, ${sums} from counted group by application_id, event
      having sum(dispatched + failed + skipped + pending) > 0
      order by sum(dispatched + failed + skipped + pending) desc, event, application_id limit $5)`,
    [spaceId, from, to, bucketSeconds, topEvents, smallestIdAt(from.getTime()), liveFrom],
  );
}

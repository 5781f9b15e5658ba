import { RUN_STATUSES, type RunStatus } from '@platform/contracts';
import { rows, type Sql } from '../../infra/database/rows.ts';
import { EVENT_OF_RUN } from './run-list.store.ts';

const STATUSES = `array[${RUN_STATUSES.map((status) => `'${status}'`).join(', ')}]`;
/** The columns of `RunCounts`, as the statements name them. */
const COUNTS = `
  coalesce(sum(n) filter (where status = 'SUCCEEDED'), 0)::int as succeeded,
  coalesce(sum(n) filter (where status in ('FAILED', 'INTERRUPTED')), 0)::int as failed,
  coalesce(sum(n) filter (where status = 'CANCELLED'), 0)::int as cancelled,
  coalesce(sum(n) filter (where status in ('QUEUED', 'RUNNING', 'WAITING')), 0)::int as waiting`;

export interface RunCounts {
  succeeded: number;
  /** FAILED or INTERRUPTED. */
  failed: number;
  cancelled: number;
  /** QUEUED, RUNNING, or WAITING. */
  waiting: number;
}

/** The runs that an event has started within a minute. */
export interface EventMinute {
  spaceId: string;
  minute: Date;
  /** As `<application id>/<name>`. */
  event: string;
}

/** Returns the status of each run that the space has. */
export async function listStatuses(
  sql: Sql,
  spaceId: string,
  ids: readonly string[],
): Promise<Map<string, RunStatus>> {
  const found = await rows<{ id: string; status: RunStatus }>(
    sql,
    'select id, status from run where space_id = $1 and id = any($2::uuid[])',
    [spaceId, ids],
  );
  return new Map(found.map(({ id, status }) => [id, status]));
}

/** Lists the envelopes below an id of which a run has failed, newest first. */
export async function listFailedEnvelopes(
  sql: Sql,
  spaceId: string,
  { above, below }: { above: string; below: string },
  limit: number,
): Promise<string[]> {
  const found = await rows<{ envelopeId: string }>(
    sql,
    `select distinct envelope_id from run
     where space_id = $1 and status in ('FAILED', 'INTERRUPTED') and envelope_id is not null
       and envelope_id >= $2 and envelope_id < $3
     order by envelope_id desc limit $4`,
    [spaceId, above, below, limit],
  );
  return found.map(({ envelopeId }) => envelopeId);
}

/** Counts the runs of events by the minute in which they were queued: of one space, or of all. */
export function countByMinute(
  sql: Sql,
  spaceId: string | null,
  from: Date,
  to: Date,
): Promise<(EventMinute & RunCounts)[]> {
  // The runs of one space are found by status: the primary key finds those of all spaces.
  const ofSpace =
    spaceId === null ? '$3::uuid is null' : 'space_id = $3 and status between s.status and s.status';
  const statuses = spaceId === null ? '' : `cross join unnest(${STATUSES}) as s(status)`;
  return rows(
    sql,
    `select space_id, minute, event, ${COUNTS} from (
       select r.space_id, g.minute, r.event, r.status, r.n
       from generate_series($1::timestamptz, $2::timestamptz - interval '1 minute', interval '1 minute') as g(minute)
       ${statuses} cross join lateral (
         select space_id, ${EVENT_OF_RUN} as event, status, count(*) as n from run
         where id >= uuid_v7_floor(g.minute) and id < uuid_v7_floor(g.minute + interval '1 minute')
           and id >= uuid_v7_floor($1::timestamptz) and id < uuid_v7_floor($2::timestamptz)
           and ${ofSpace} and envelope_id is not null
         group by 1, 2, 3
       ) r
     ) c group by 1, 2, 3`,
    [from, to, spaceId],
  );
}

/** Counts the runs of events of certain minutes. Returns only those that have runs. */
export function countGroups(sql: Sql, groups: readonly EventMinute[]): Promise<(EventMinute & RunCounts)[]> {
  return rows(
    sql,
    `select space_id, minute, event, ${COUNTS} from (
       select k.space_id, k.minute, k.event, s.status, r.n
       from unnest($1::uuid[], $2::timestamptz[], $3::text[]) as k(space_id, minute, event)
       cross join unnest(${STATUSES}) as s(status)
       cross join lateral (
         select count(*) as n from run
         where space_id = k.space_id and envelope_id is not null and ${EVENT_OF_RUN} = k.event and status = s.status
           and id >= uuid_v7_floor(k.minute) and id < uuid_v7_floor(k.minute + interval '1 minute')
       ) r where r.n > 0
     ) c group by 1, 2, 3`,
    [
      groups.map(({ spaceId }) => spaceId),
      groups.map(({ minute }) => minute),
      groups.map(({ event }) => event),
    ],
  );
}

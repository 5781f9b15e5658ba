import type { EntityManager } from 'typeorm';
import { rows, type Sql } from '../../infra/database/rows.ts';
import { readableJson } from '../../infra/errors/storable.ts';
import {
  MAX_VALUE_BYTES,
  MAX_VALUES_BYTES,
  RUN_TOO_LARGE,
  STEP_BYTES,
  VALUE_TOO_LARGE,
} from '../runs/run-budget.ts';
import { stepDuration } from '../runs/runs.store.ts';
import { TOO_LARGE } from '../runs/step-error.ts';

/** Has rows if a wait is due. */
export const WAITS_DUE = 'select from run_wait where due_at <= statement_timestamp()';

/** How long after its last look the end of another run is looked for that nobody has reported. */
const LOOK_AGAIN = `interval '1 minute'`;

/** An output up to this size is always stored: at most 1,000 items of a run wait at once, and its next step counts them. */
const SMALL_BYTES = 512;

/**
 * A wait that somebody has locked is just being ended with a result, and left for later: otherwise it would end as if its time was over.
 * The runs that wait for others which have not ended are looked at again later, unless the other one has just ended, and made
 * the wait due itself. The limits are those of `RunBudget`: of the outputs of a run that end together, the smallest are stored.
 * The waits are looked up by their runs: an index of what is due would be read as a whole while many are.
 */
const END_WAITS = `
  with found as materialized (
    select w.run_id, w.scope from unnest($1::uuid[]) as k(run_id)
      cross join lateral (select run_id, scope, due_at from run_wait where run_id = k.run_id offset 0) w
    where w.due_at <= statement_timestamp()
  ), due as materialized (
    select w.*, c.status as child_status, c.error as child_error,
      coalesce(c.status in ('QUEUED', 'RUNNING', 'WAITING'), false) as is_open,
      w.kind = 'RUN' and coalesce(c.status, 'CANCELLED') <> 'SUCCEEDED' as has_failed
    from found cross join lateral (
      select * from run_wait where run_id = found.run_id and scope = found.scope limit 1 for update skip locked
    ) w left join run c on c.id = w.child_run_id
    where w.due_at <= statement_timestamp()
  ), later as (
    update run_wait w set due_at = clock_timestamp() + ${LOOK_AGAIN}
    from due where due.is_open and w.run_id = due.run_id and w.scope = due.scope and w.due_at = due.due_at
  ), gone as (
    delete from run_wait w using due where not due.is_open and w.run_id = due.run_id and w.scope = due.scope
  ), ended as materialized (
    -- The last step of a run that succeeded can have failed: then its output is the error, as in the run itself.
    select *, case when repeats then null else case kind
      when 'TIME' then json_build_object('endedAt', to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
      when 'RUN' then json_build_object('runId', child_run_id, 'status', child_status, 'output', (
        select case when c.status = 'FAILED' and not has_failed then json_build_object('error', c.error) else output end
        from run_step c where c.run_id = due.child_run_id and not c.superseded
          and coalesce(c.scope, c.step_id) = c.step_id
        order by c.attempt desc, c.position desc limit 1))
      else coalesce(result, '{"timedOut": true}') end end as output
    from due where not is_open
  ), sized as materialized (
    select run_id, scope, octet_length(output::text) as bytes from ended
    where octet_length(output::text) > ${SMALL_BYTES}
  ), used as materialized (
    select run_id, (select coalesce(sum(bytes), 0) from (
      select distinct on (scope) ${STEP_BYTES} as bytes from run_step
      where run_id = r.run_id and not superseded and scope is not null order by scope, attempt desc, position desc
    ) s) as bytes from (select distinct run_id from sized) r
  ), refused as materialized (
    select run_id, scope, bytes,
      case when bytes > ${MAX_VALUE_BYTES} then '${VALUE_TOO_LARGE}' else '${RUN_TOO_LARGE}' end as reason
    from (
      select run_id, scope, sized.bytes,
        used.bytes + sum(sized.bytes) over (partition by run_id order by sized.bytes, scope) as total
      from sized join used using (run_id)
    ) s where bytes > ${MAX_VALUE_BYTES} or total > ${MAX_VALUES_BYTES}
  ), step as (
    update run_step s set finished_at = clock_timestamp(),
      duration_ms = ${stepDuration('s.started_at', 'clock_timestamp()')},
      status = case when e.repeats then 'INTERRUPTED' when e.has_failed or e.reason is not null then 'FAILED' else 'SUCCEEDED' end,
      error = case when e.has_failed then
        json_build_object('code', 'RUN_' || coalesce(e.child_status, 'GONE'), 'message',
          'Run ' || e.child_run_id || ' did not succeed' || coalesce(': ' || (${readableJson('e.child_error')} ->> 'message'), ''))
        when e.reason is not null then
        json_build_object('code', '${TOO_LARGE}', 'message', format(e.reason, 'The output of step ' || s.step_id, e.bytes)) end,
      output = case when e.reason is null then e.output end
    from (select * from ended left join refused using (run_id, scope)) e
    where s.run_id = e.run_id and s.attempt = e.attempt and s.position = e.position and s.status = 'WAITING'
  ), queued as (
    update run r set status = 'QUEUED' from (
      select run_id, bool_or(despite_disabled) as despite_disabled from due where not is_open group by run_id
    ) w where r.id = w.run_id and r.status = 'WAITING'
    returning r.id, r.task_id, r.space_id, r.owner_user_id, w.despite_disabled
  ), inserted as (
    insert into run_queue (run_id, task_id, space_id, owner_user_id, despite_disabled)
    select id, task_id, space_id, owner_user_id, despite_disabled from queued
  )
  select distinct run_id as id, run_id in (select id from queued) as is_queued from due`;

export interface DueRun {
  runId: string;
  spaceId: string;
}

/** Lists the runs of due waits, at most of so many, without those of some spaces; one with several can be listed several times. */
export function listDueRuns(sql: Sql, exceptSpaces: readonly string[], limit: number): Promise<DueRun[]> {
  return rows(
    sql,
    `select run_id, space_id from run_wait
     where due_at <= statement_timestamp() and space_id <> all($1::uuid[]) order by due_at limit $2`,
    [exceptSpaces, limit],
  );
}

/** Of how many runs waits have ended, or are looked at again later, and which were queued. */
export interface EndedWaits {
  count: number;
  queued: string[];
}

/** Ends the due waits of runs, and queues those that only wait. Runs that another process has locked are left for later. */
export async function endDueWaits(tx: EntityManager, runIds: readonly string[]): Promise<EndedWaits> {
  // A run is locked before its waits are read, as `suspendRun` does.
  const locked = await rows<{ id: string }>(
    tx,
    'select id from run where id = any($1::uuid[]) order by id for no key update skip locked',
    [runIds],
  );
  const ended = await rows<{ id: string; isQueued: boolean }>(tx, END_WAITS, [locked.map(({ id }) => id)]);
  return {
    count: ended.length,
    queued: ended.filter(({ isQueued }) => isQueued).map(({ id }) => id),
  };
}

/** Lets the due waits of a run be looked at again later. */
export async function postponeDueWaits(sql: Sql, runId: string): Promise<void> {
  await rows(
    sql,
    `update run_wait set due_at = clock_timestamp() + ${LOOK_AGAIN} where run_id = $1 and due_at <= statement_timestamp()`,
    [runId],
  );
}

import { rows, type Sql } from '../../infra/database/rows.ts';
import { ERROR_CODE, FAILED_STEP, FAILURE_GROUP, FAILURE_MESSAGE } from '../history/failure-groups.store.ts';

/** Failures that have a task, a step, a code, and their message in common. */
export interface FailureRow {
  id: string;
  taskId: string;
  taskName: string;
  stepId: string | null;
  /** Null if the run has no error. */
  code: string | null;
  message: string | null;
  count: number;
  firstAt: Date;
  lastAt: Date;
  /** The newest. */
  runId: string;
}

/** Groups runs, those with most first. */
export function groupFailures(
  sql: Sql,
  spaceId: string,
  ids: readonly string[],
  limit: number,
): Promise<FailureRow[]> {
  return rows(
    sql,
    `select g.*, t.name as task_name from (
       select id, max(task_id::text)::uuid as task_id, max(step_id) as step_id, max(code) as code, max(message) as message,
         count(*)::int as count, min(failed_at) as first_at, max(failed_at) as last_at, max(run_id::text)::uuid as run_id
       from (
         select ${FAILURE_GROUP} as id, r.id as run_id, r.task_id, ${FAILED_STEP} as step_id,
           ${ERROR_CODE} as code, ${FAILURE_MESSAGE} as message, coalesce(r.finished_at, r.created_at) as failed_at
         from run r where r.space_id = $1 and r.id = any($2::uuid[])
       ) f group by id
     ) g join task t on t.id = g.task_id order by g.count desc, g.last_at desc, g.id limit $3`,
    [spaceId, ids, limit],
  );
}

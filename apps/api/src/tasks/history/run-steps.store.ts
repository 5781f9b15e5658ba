import { rows, type Sql } from '../../infra/database/rows.ts';
import type { RunStepEntity } from '../runs/run-step.entity.ts';

/**
 * Lists the last execution of each step of a run, in the order in which they began, without those that a retry repeats. A process of
 * the previous version stores no scopes, and its attempts begin anew.
 */
export function listSteps(sql: Sql, runId: string, attempt: number): Promise<RunStepEntity[]> {
  return rows(
    sql,
    `select * from (
       select distinct on (coalesce(scope, step_id)) * from run_step
       where run_id = $1 and not superseded and (scope is not null or attempt = $2)
       order by coalesce(scope, step_id), attempt desc, position desc
     ) s order by attempt, position`,
    [runId, attempt],
  );
}

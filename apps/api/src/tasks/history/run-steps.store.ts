import type { EntityManager } from 'typeorm';
import type { RunError, RunStepStatus, StepKind } from '@platform/contracts';
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

/** The last execution of a step. */
export interface ExecutedStep {
  stepId: string;
  scope: string;
  kind: StepKind;
  status: RunStepStatus;
  stepAttempt: number;
  /** Whether the execution may have had an effect that a repetition would have again. */
  acts: boolean;
  /** Of a step of kind `branch`: the position of the branch that it has chosen; null if it has chosen none. */
  branch: number | null;
  error: RunError | null;
}

/** As `listSteps`, without what the steps were given and returned, and without those that no retry goes on with. */
export function listExecuted(sql: Sql, runId: string): Promise<ExecutedStep[]> {
  return rows(
    sql,
    `select step_id, scope, kind, status, step_attempt, acts, error,
       case when kind = 'branch' then (input->>'branch')::int end as branch from (
       select distinct on (scope) * from run_step where run_id = $1 and not superseded and scope is not null
       order by scope, attempt desc, position desc
     ) s order by attempt, position`,
    [runId],
  );
}

/**
 * Lets a retry repeat a step that no other contains, and all that have begun after it, if the run is still at the attempt and has ended
 * without success. Locks the run, so that no other retry is between this and `retryRun`. Returns false if there is no such step.
 */
export async function supersedeSteps(
  tx: EntityManager,
  runId: string,
  attempt: number,
  stepId: string,
): Promise<boolean> {
  const superseded = await rows(
    tx,
    `with first as (
       select s.attempt, s.position from run r join run_step s on s.run_id = r.id
       where r.id = $1 and r.attempt = $2 and r.status in ('FAILED', 'CANCELLED', 'INTERRUPTED')
         and r.erased_at is null and s.scope = s.step_id and s.step_id = $3 and not s.superseded
       order by s.attempt, s.position limit 1 for no key update of r
     )
     update run_step s set superseded = true from first
     where s.run_id = $1 and not s.superseded and (s.attempt, s.position) >= (first.attempt, first.position)
     returning s.run_id`,
    [runId, attempt, stepId],
  );
  return superseded.length > 0;
}

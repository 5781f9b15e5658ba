import type { StepKind } from '@platform/contracts';
import { firstRow, type Sql } from '../../infra/database/rows.ts';

/** How many runs are looked at: tests may lie between. */
const SCANNED = 1_000;

/** Returns the last run of a task that succeeded and was no test. */
export async function findLastSuccess(sql: Sql, taskId: string): Promise<string | null> {
  const row = await firstRow<{ id: string }>(
    sql,
    `select id from (
       select id, test is null and erased_at is null as is_usable from run
       where task_id = $1 and status = 'SUCCEEDED' order by id desc limit ${SCANNED}
     ) r where is_usable order by id desc limit 1`,
    [taskId],
  );
  return row?.id ?? null;
}

/** Returns what a step of a run returned; null if the run has no such step, or has skipped it. */
export function findOutput(
  sql: Sql,
  runId: string,
  scope: string,
  kind: StepKind,
): Promise<{ output: unknown } | null> {
  return firstRow(
    sql,
    `select output from run_step
     where run_id = $1 and scope = $2 and kind = $3 and status = 'SUCCEEDED' and not superseded
     order by attempt desc, position desc limit 1`,
    [runId, scope, kind],
  );
}

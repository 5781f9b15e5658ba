import { firstRow, type Sql } from '../../infra/database/rows.ts';

/** Where a step waits. */
export interface WaitKey {
  runId: string;
  scope: string;
}

/**
 * Ends a wait with the output of its step. Returns false if it has ended, or had a result already: only one call has an
 * effect, however many are made. `WaitWorker` then continues the run.
 */
export async function completeWait(tx: Sql, { runId, scope }: WaitKey, output: unknown): Promise<boolean> {
  const row = await firstRow(
    tx,
    `update run_wait set result = $3, due_at = clock_timestamp()
     where run_id = $1 and scope = $2 and result is null returning run_id`,
    [runId, scope, JSON.stringify(output ?? {})],
  );
  return row !== null;
}

import { affected, type Sql } from '../../infra/database/rows.ts';

/** Where a step waits. */
export interface WaitKey {
  runId: string;
  scope: string;
}

/**
 * Ends a wait with the output of its step. Returns false if it has ended, or had a result already: only one call has an
 * effect, however many are made. `WaitWorker` then continues the run.
 */
export async function completeWait(tx: Sql, key: WaitKey, output: object): Promise<boolean> {
  return (await completeWaits(tx, [key], output)) > 0;
}

/** The same for any number of waits, which it locks in one order. Returns how many have ended. */
export function completeWaits(tx: Sql, waits: readonly WaitKey[], output: object): Promise<number> {
  return affected(
    tx,
    `with waiting as materialized (
       select w.run_id, w.scope from unnest($1::uuid[], $2::text[]) as k(run_id, scope)
         join run_wait w on w.run_id = k.run_id and w.scope = k.scope
       where w.result is null order by w.run_id, w.scope for update of w
     )
     update run_wait w set result = $3, due_at = clock_timestamp()
     from waiting where w.run_id = waiting.run_id and w.scope = waiting.scope`,
    [waits.map(({ runId }) => runId), waits.map(({ scope }) => scope), JSON.stringify(output)],
  );
}

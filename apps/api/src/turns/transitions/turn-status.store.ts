import type { TurnStatus } from '@platform/contracts';
import { firstPreparedRow, firstRow, type PreparedSql, type Sql } from '../../infra/database/rows.ts';
import type { TurnFailure } from '../records/turn.ts';

// The only statements that change the status of a stored turn, and only `TurnTransitionsService` runs them.

/** Moves a turn to RUNNING. Returns its position in the session so far, or null if it is no longer in `from`. */
export async function claimTurn(
  tx: Sql,
  id: string,
  from: 'QUEUED' | 'FAILED' | 'INPUT_REQUIRED',
  model: string,
): Promise<number | null> {
  const row = await firstRow<{ n: number }>(
    tx,
    `update turn set status = 'RUNNING', error = null, error_code = null,
       finished_at = null, model = $3, started_at = coalesce(started_at, clock_timestamp())
     where id = $1 and status = $2 returning n`,
    [id, from, model],
  );
  return row?.n ?? null;
}

/** How a run of a turn ends. */
export interface Ending {
  status: Extract<TurnStatus, 'INPUT_REQUIRED' | 'COMPLETED' | 'FAILED' | 'CANCELLED'>;
  error: TurnFailure | null;
  executionMs: number;
}

/** Ends RUNNING. Returns when, or null if the turn was no longer RUNNING. */
export async function endTurn(tx: PreparedSql, id: string, ending: Ending): Promise<Date | null> {
  const row = await firstPreparedRow<{ finishedAt: Date }>(
    tx,
    'end_turn',
    `update turn set status = $2, error = $3, error_code = $5,
       execution_ms = execution_ms + $4, finished_at = clock_timestamp()
     where id = $1 and status = 'RUNNING' returning finished_at`,
    [
      id,
      ending.status,
      ending.error && JSON.stringify(ending.error),
      Math.round(ending.executionMs),
      ending.error?.code ?? null,
    ],
  );
  return row?.finishedAt ?? null;
}

/** Ends a turn that does not run. Returns when, or null if it is no longer in `from`. */
export async function endWaitingTurn(
  tx: Sql,
  id: string,
  from: 'QUEUED' | 'INPUT_REQUIRED' | 'FAILED',
  status: 'CANCELLED' | 'FAILED',
  why: TurnFailure,
): Promise<Date | null> {
  const row = await firstRow<{ finishedAt: Date }>(
    tx,
    `update turn set status = $3, error = $4, error_code = $5,
       finished_at = clock_timestamp()
     where id = $1 and status = $2 returning finished_at`,
    [id, from, status, JSON.stringify(why), why.code],
  );
  return row?.finishedAt ?? null;
}

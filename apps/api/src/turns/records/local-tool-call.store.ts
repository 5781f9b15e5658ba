import { firstRow, rows, type Sql } from '../../infra/database/rows.ts';

/** The result that the client sends; exactly one of the three. */
export type LocalToolResult =
  { result: unknown } | { error: string } | { denied: true; reason: string | null };

/** Stores a call that waits for its result. A repeated id starts over, because some servers number calls from 1. */
export async function openLocalToolCall(
  sql: Sql,
  turnRef: string,
  callId: string,
  timeoutMs: number,
): Promise<void> {
  await rows(
    sql,
    `insert into local_tool_call (turn_id, call_id, expires_at)
     values ($1, $2, clock_timestamp() + $3 * interval '1 millisecond')
     on conflict (turn_id, call_id) do update set outcome = null, expires_at = excluded.expires_at`,
    [turnRef, callId, timeoutMs],
  );
}

/** Stores the first result that arrives in time. Returns whether this is it. */
export async function storeLocalToolResult(
  sql: Sql,
  turnRef: string,
  callId: string,
  result: LocalToolResult,
): Promise<boolean> {
  const stored = await firstRow(
    sql,
    `update local_tool_call set outcome = $3
     where turn_id = $1 and call_id = $2 and outcome is null and expires_at > clock_timestamp() returning call_id`,
    [turnRef, callId, JSON.stringify(result)],
  );
  return stored !== null;
}

/** A call with its result, if any, and whether it has expired; null for an unknown call. */
export function findLocalToolCall(
  sql: Sql,
  turnRef: string,
  callId: string,
): Promise<{ outcome: LocalToolResult | null; late: boolean } | null> {
  return firstRow(
    sql,
    `select outcome, expires_at <= clock_timestamp() as late from local_tool_call
     where turn_id = $1 and call_id = $2`,
    [turnRef, callId],
  );
}

import {
  affected,
  firstPreparedRow,
  preparedRows,
  rows,
  type PreparedSql,
  type Sql,
} from '../../infra/database/rows.ts';

/** The most cancel requests for unknown turns that are stored per user. */
const MAX_REQUESTS = 100;

/** A request to cancel a turn that is not known yet. */
export interface CancelRequest {
  agentId: string;
  userId: string;
  turnId: string;
}

/** Stores the request for ten minutes. */
export async function storeCancelRequest(
  sql: Sql,
  { agentId, userId, turnId }: CancelRequest,
): Promise<void> {
  await rows(
    sql,
    `insert into cancel_request (agent_id, user_id, client_turn_id, expires_at)
     select $1::uuid, $2::uuid, $3::text, clock_timestamp() + interval '10 minutes'
     where (select count(*) from cancel_request where user_id = $2::uuid and expires_at > statement_timestamp()) < $4
     on conflict (agent_id, user_id, client_turn_id) do update set expires_at = excluded.expires_at`,
    [agentId, userId, turnId, MAX_REQUESTS],
  );
}

/**
 * Forwards the request for a turn that has been stored since, if there is one. Called after the transaction that stores the
 * turn: a request that comes later finds the turn.
 */
export async function forwardCancelRequest(
  sql: PreparedSql,
  request: CancelRequest,
  forward: () => Promise<unknown>,
): Promise<void> {
  const row = await firstPreparedRow(
    sql,
    'find_cancel_request',
    `select from cancel_request where agent_id = $1 and user_id = $2 and client_turn_id = $3
       and expires_at > clock_timestamp()`,
    [request.agentId, request.userId, request.turnId],
  );
  if (row === null) return;
  await forward();
  // Last: nobody else would find it.
  await consumeCancelRequest(sql, request);
}

/** Deletes the request for a turn that has been stored. */
export async function consumeCancelRequest(
  sql: PreparedSql,
  { agentId, userId, turnId }: CancelRequest,
): Promise<void> {
  await preparedRows(
    sql,
    'consume_cancel_request',
    'delete from cancel_request where agent_id = $1 and user_id = $2 and client_turn_id = $3',
    [agentId, userId, turnId],
  );
}

/** Deletes at most `limit` requests that have expired. */
export function purgeCancelRequests(sql: Sql, limit: number): Promise<number> {
  return affected(
    sql,
    `delete from cancel_request where ctid = any(array(
       select ctid from cancel_request where expires_at < statement_timestamp() limit $1))`,
    [limit],
  );
}

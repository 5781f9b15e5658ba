import { firstRow, rows, type Sql } from '../../infra/database/rows.ts';

/** How many wishes for turns that are not known yet are kept of a user. */
const MAX_WISHES = 100;

/** The turn that is to be cancelled should it start. */
export interface CancelRequest {
  agentId: string;
  userId: string;
  turnId: string;
}

/** Keeps the wish for ten minutes. */
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
    [agentId, userId, turnId, MAX_WISHES],
  );
}

/** Takes a wish that came before its turn; true where there was one. */
export async function consumeCancelRequest(
  sql: Sql,
  { agentId, userId, turnId }: CancelRequest,
): Promise<boolean> {
  const row = await firstRow(
    sql,
    `delete from cancel_request where agent_id = $1 and user_id = $2 and client_turn_id = $3
       and expires_at > clock_timestamp() returning user_id`,
    [agentId, userId, turnId],
  );
  return row !== null;
}

const BATCH = 1_000;

export async function purgeCancelRequests(sql: Sql): Promise<void> {
  let gone: unknown[];
  do {
    gone = await rows(
      sql,
      `delete from cancel_request where ctid = any(array(
         select ctid from cancel_request where expires_at < statement_timestamp() limit ${BATCH})) returning user_id`,
    );
  } while (gone.length === BATCH);
}

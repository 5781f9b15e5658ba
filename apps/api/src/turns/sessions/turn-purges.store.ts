import { affected, firstRow, rows, type Sql } from '../../infra/database/rows.ts';
import { KEPT_DAYS } from '../records/kept-until.ts';

/** Expired sessions, oldest first. */
export async function listExpiredSessions(sql: Sql, limit: number): Promise<string[]> {
  const found = await rows<{ id: string }>(
    sql,
    'select id from session where expires_at < statement_timestamp() order by expires_at limit $1',
    [limit],
  );
  return found.map(({ id }) => id);
}

/** Keeps the content of an expired session for some more hours. */
export async function postponePurge(sql: Sql, id: string, hours: number): Promise<void> {
  await rows(
    sql,
    `update session set expires_at = clock_timestamp() + $2 * interval '1 hour' where id = $1`,
    [id, hours],
  );
}

/** Deletes the content of a session. A session with an open turn is kept for another day, and each for days after its last turn. */
export async function purgeSession(tx: Sql, id: string): Promise<void> {
  const held = await firstRow(tx, 'select from session where id = $1 for no key update', [id]);
  if (held === null) return;
  // A separate statement: one that waited for the lock would not see the turn that held it.
  const postponed = await firstRow(
    tx,
    `update session set expires_at =
       case when last.is_open then clock_timestamp() + interval '1 day' else last.kept_until end
     from (
       select exists (select from turn where session_id = $1 and status = 'RUNNING')
         or exists (select from turn where session_id = $1 and status = 'QUEUED')
         or exists (select from turn where session_id = $1 and status = 'INPUT_REQUIRED') as is_open,
         (select finished_at from turn where session_id = $1 order by n desc limit 1) + $2 * interval '1 day' as kept_until
     ) last
     where session.id = $1 and (last.is_open or last.kept_until > statement_timestamp()) returning session.id`,
    [id, KEPT_DAYS],
  );
  if (postponed !== null) return;
  const turns = 'select id from turn where session_id = $1';
  for (const table of ['turn_step', 'interaction', 'local_tool_call'])
    await rows(tx, `delete from ${table} where turn_id = any(array(${turns}))`, [id]);
  for (const table of ['attachment', 'context_page', 'context_compaction'])
    await rows(tx, `delete from ${table} where session_id = $1`, [id]);
  await rows(
    tx,
    `update turn set settings = json_build_object('source', source, 'chatMode', 'agent', 'interactive', false,
       'disableWebSearch', false, 'registeredLocalTools', '[]'::json, 'variables', '{}'::json)
     where session_id = $1`,
    [id],
  );
  await rows(
    tx,
    `update session set expires_at = null, title = '', deleted_at = coalesce(deleted_at, clock_timestamp())
     where id = $1`,
    [id],
  );
}

/** Deletes at most `limit` local tool calls that expired long ago. */
export function purgeLocalToolCalls(sql: Sql, limit: number): Promise<number> {
  return affected(
    sql,
    `delete from local_tool_call where ctid = any(array(
       select ctid from local_tool_call where expires_at < statement_timestamp() - interval '7 days' limit $1))`,
    [limit],
  );
}

import { firstRow, rows, type Sql } from '../../infra/database/rows.ts';

/** Whose turns no longer wait: those of an agent, or of a user in a space. */
type Dismissed = { spaceId: string } & (
  { agentId: string; userId: null } | { agentId: null; userId: string }
);

export type Dismissal = Dismissed & { id: string };

/** Longer than a turn runs: until then, it can still ask. */
const KEPT = '2 days';

export async function insertDismissal(tx: Sql, { spaceId, agentId, userId }: Dismissed): Promise<void> {
  await rows(tx, 'insert into turn_dismissal (space_id, agent_id, user_id) values ($1, $2, $3)', [
    spaceId,
    agentId,
    userId,
  ]);
}

/** Dismissals that are due, oldest first. */
export function listDueDismissals(sql: Sql, limit: number): Promise<Dismissal[]> {
  return rows(
    sql,
    `select id, space_id, agent_id, user_id from turn_dismissal where due_at <= statement_timestamp()
     order by due_at limit $1`,
    [limit],
  );
}

/** The ids of turns that wait although they were dismissed. */
export async function listDismissedTurns(sql: Sql, dismissed: Dismissed, limit: number): Promise<string[]> {
  const { spaceId, agentId, userId } = dismissed;
  const [condition, owner] = agentId === null ? ['user_id = $2', userId] : ['agent_id = $2', agentId];
  const found = await rows<{ id: string }>(
    sql,
    `select id from turn where space_id = $1 and ${condition} and status = 'INPUT_REQUIRED' order by id limit $3`,
    [spaceId, owner, limit],
  );
  return found.map(({ id }) => id);
}

/** Has turns looked for again, each time after twice as long, because one that was running can have asked since. */
export async function postponeDismissal(sql: Sql, id: string): Promise<void> {
  const kept = await firstRow(
    sql,
    `update turn_dismissal
     set due_at = clock_timestamp() + greatest(clock_timestamp() - created_at, interval '1 minute')
     where id = $1 and created_at > statement_timestamp() - interval '${KEPT}' returning id`,
    [id],
  );
  if (kept === null) await deleteDismissal(sql, id);
}

export async function deleteDismissal(sql: Sql, id: string): Promise<void> {
  await rows(sql, 'delete from turn_dismissal where id = $1', [id]);
}

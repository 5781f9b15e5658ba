import { firstRow, rows, type Sql } from '../../infra/database/rows.ts';
import { TURN_COLUMNS } from '../records/turn.store.ts';
import type { TurnRow } from '../records/turn.ts';

/** Loads turns by their row ids. */
export async function loadTurnsByIds(sql: Sql, ids: readonly string[]): Promise<Map<string, TurnRow>> {
  if (ids.length === 0) return new Map();
  const found = await rows<TurnRow>(
    sql,
    `select ${TURN_COLUMNS} from turn t join session s on s.id = t.session_id where t.id = any($1::uuid[])`,
    [ids],
  );
  return new Map(found.map((turn) => [turn.id, turn]));
}

/** Counts the turns that each of the users runs. Users without running turns are omitted. */
export async function countRunning(sql: Sql, userIds: readonly string[]): Promise<Map<string, number>> {
  const counts = await rows<{ userId: string; running: number }>(
    sql,
    `select user_id, count(*)::int as running from turn
     where user_id = any($1::uuid[]) and status = 'RUNNING' group by user_id`,
    [userIds],
  );
  return new Map(counts.map(({ userId, running }) => [userId, running]));
}

/**
 * Whether a queued turn must wait: its session runs another turn, or one was queued before it. The turns ahead are
 * locked until the transaction ends, so that a transaction that moves one sees what this one wrote.
 */
export async function lockTurnsAhead(tx: Sql, { sessionRef, n }: TurnRow): Promise<boolean> {
  const ahead = await firstRow(
    tx,
    `select id from turn where session_id = $1 and (status = 'RUNNING' or status = 'QUEUED' and n < $2)
     order by n limit 1 for share`,
    [sessionRef, n],
  );
  return ahead !== null;
}

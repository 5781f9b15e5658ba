import { rows, type Sql } from '../database/rows.ts';

export interface Fact {
  spaceId: string;
  name: string;
  /** What happened once has one key in its space: a fact that is recorded twice is told once. */
  key: string;
  payload: Record<string, unknown>;
  /** The run that caused it, for the loop guard. */
  causationRunId: string | null;
}

/** Has rows if somebody has to be told something. */
export const FACTS_WAITING = 'select from fact';

export async function insertFact(
  tx: Sql,
  { spaceId, name, key, payload, causationRunId }: Fact,
): Promise<void> {
  await rows(
    tx,
    'insert into fact (space_id, name, key, payload, causation_run_id) values ($1, $2, $3, $4, $5)',
    [spaceId, name, key, JSON.stringify(payload), causationRunId],
  );
}

/** Takes the oldest facts that no other transaction takes. They are gone once this one commits. */
export function takeFacts(tx: Sql, limit: number): Promise<Fact[]> {
  return rows(
    tx,
    `delete from fact where id = any(array(select id from fact order by id limit $1 for update skip locked))
     returning space_id, name, key, payload, causation_run_id`,
    [limit],
  );
}

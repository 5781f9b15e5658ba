import { rows, type Sql } from '../../infra/database/rows.ts';

/** A run that reads its payload from its envelope. */
export interface RunWithoutPayload {
  id: string;
  envelopeId: string;
}

/** Lists runs of envelopes below an id, after a run, in the order of both ids. */
export function listRunsWithoutPayload(
  sql: Sql,
  before: string,
  after: RunWithoutPayload,
  limit: number,
): Promise<RunWithoutPayload[]> {
  return rows(
    sql,
    `select id, envelope_id from run
     where payload is null and envelope_id is not null and envelope_id < $1 and (envelope_id, id) > ($2::uuid, $3::uuid)
     order by envelope_id, id limit $4`,
    [before, after.envelopeId, after.id, limit],
  );
}

/** Stores the payload of a run that has none. */
export async function storePayload(sql: Sql, id: string, payload: string): Promise<void> {
  await rows(sql, 'update run set payload = $2::json where id = $1 and payload is null', [id, payload]);
}

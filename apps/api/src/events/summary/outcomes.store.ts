import { rows, type Sql } from '../../infra/database/rows.ts';

/** What was delivered last to a subscription. */
export interface LastDelivery {
  envelopeId: string;
  subscriptionId: string;
  /** Null: it started no run. */
  runId: string | null;
  /** Whether it waits for the run that its batch will start. */
  isCollected: boolean;
}

/** Lists the last delivery of each envelope to each subscription. */
export function listLastDeliveries(sql: Sql, envelopeIds: readonly string[]): Promise<LastDelivery[]> {
  return rows(
    sql,
    `select d.envelope_id, d.subscription_id, d.run_id,
       d.outcome = 'RUN_SHARED' and exists (select from event_batch b where b.run_id = d.run_id) as is_collected
     from unnest($1::uuid[]) as e(id) cross join lateral (
       select distinct on (subscription_id) envelope_id, subscription_id, run_id, outcome from delivery
       where envelope_id = e.id order by subscription_id, generation desc
     ) d`,
    [envelopeIds],
  );
}

/** Lists the envelopes below an id of which a run has failed that they share with others, newest first. */
export async function listFailedShared(
  sql: Sql,
  spaceId: string,
  { above, below }: { above: string; below: string },
  limit: number,
): Promise<string[]> {
  const found = await rows<{ envelopeId: string }>(
    sql,
    `select distinct envelope_id from delivery
     where failed_in = $1 and envelope_id >= $2 and envelope_id < $3 order by envelope_id desc limit $4`,
    [spaceId, above, below, limit],
  );
  return found.map(({ envelopeId }) => envelopeId);
}

/** Lists the envelopes below an id of which a delivery started no run, newest first. */
export async function listMissed(
  sql: Sql,
  spaceId: string,
  { above, below }: { above: string; below: string },
  limit: number,
): Promise<string[]> {
  const found = await rows<{ id: string }>(
    sql,
    `select id from envelope
     where space_id = $1 and missed_count > 0 and id >= $2 and id < $3 order by id desc limit $4`,
    [spaceId, above, below, limit],
  );
  return found.map(({ id }) => id);
}

import { rows, type Sql } from '../../infra/database/rows.ts';

/** What was delivered last to a subscription. */
export interface LastDelivery {
  envelopeId: string;
  /** Null: it started no run. */
  runId: string | null;
}

/** Lists the last delivery of each envelope to each subscription. */
export function listLastDeliveries(sql: Sql, envelopeIds: readonly string[]): Promise<LastDelivery[]> {
  return rows(
    sql,
    `select d.envelope_id, d.run_id from unnest($1::uuid[]) as e(id) cross join lateral (
       select distinct on (subscription_id) envelope_id, run_id from delivery
       where envelope_id = e.id order by subscription_id, generation desc
     ) d`,
    [envelopeIds],
  );
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

/** Returns which of the envelopes have a text in their payload, whatever the case of its letters. */
export async function listWithText(sql: Sql, ids: readonly string[], text: string): Promise<string[]> {
  const found = await rows<{ id: string }>(
    sql,
    `select id from envelope where id = any($1::uuid[]) and strpos(lower(payload::text), lower($2)) > 0`,
    [ids, text],
  );
  return found.map(({ id }) => id);
}

/** Lists the envelopes that keys refer to. */
export async function listByKey(
  sql: Sql,
  events: readonly { applicationId: string; name: string }[],
  keyHash: Buffer,
): Promise<string[]> {
  const found = await rows<{ envelopeId: string }>(
    sql,
    `select k.envelope_id from unnest($1::uuid[], $2::text[]) as e(application_id, event)
     join emission_key k on k.application_id = e.application_id and k.event = e.event and k.key_hash = $3`,
    [events.map(({ applicationId }) => applicationId), events.map(({ name }) => name), keyHash],
  );
  return found.map(({ envelopeId }) => envelopeId);
}

import { rows, type Sql } from '../../infra/database/rows.ts';
import { spellingsOf } from '../../infra/runtime/json.ts';

/** Returns which of the envelopes have a text in their payload, whatever the case of its letters, as it is or as JSON writes it. */
export async function listWithText(sql: Sql, ids: readonly string[], text: string): Promise<string[]> {
  const found = await rows<{ id: string }>(
    sql,
    `select id from envelope where id = any($1::uuid[]) and erasure is null
       and exists (select from unnest($2::text[]) as t where strpos(lower(payload::text), lower(t)) > 0)`,
    [ids, spellingsOf(text)],
  );
  return found.map(({ id }) => id);
}

/** Lists the envelopes that keys refer to. */
export async function listByKey(
  sql: Sql,
  events: readonly { applicationId: string; name: string }[],
  keyHashes: readonly Buffer[],
): Promise<string[]> {
  const found = await rows<{ envelopeId: string }>(
    sql,
    `select k.envelope_id from unnest($1::uuid[], $2::text[]) as e(application_id, event)
     join emission_key k on k.application_id = e.application_id and k.event = e.event and k.key_hash = any($3::bytea[])`,
    [events.map(({ applicationId }) => applicationId), events.map(({ name }) => name), keyHashes],
  );
  return found.map(({ envelopeId }) => envelopeId);
}

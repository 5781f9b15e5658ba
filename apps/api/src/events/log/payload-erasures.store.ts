import type { EnvelopeStatus } from '@platform/contracts';
import { exactlyOne, rows, type Sql } from '../../infra/database/rows.ts';

/** Locks an envelope of a space. */
export function lockForErasure(
  tx: Sql,
  spaceId: string,
  id: string,
): Promise<{ status: EnvelopeStatus; isErased: boolean }> {
  return exactlyOne(
    tx,
    `select status, erasure is not null as is_erased from envelope where space_id = $1 and id = $2 for update`,
    [spaceId, id],
  );
}

/** Lists the runs of all generations of an envelope. */
export async function listRunIds(sql: Sql, envelopeId: string): Promise<string[]> {
  const found = await rows<{ runId: string }>(
    sql,
    'select run_id from delivery where envelope_id = $1 and run_id is not null',
    [envelopeId],
  );
  return found.map(({ runId }) => runId);
}

/** The verdicts without the values of the payload that the reasons of filters quote. Null stays null. */
const withoutValues = (verdicts: string) => `
  case when ${verdicts} is not null then (
    select coalesce(json_agg(json_build_object(
      'subscriptionId', v->'subscriptionId', 'taskId', v->'taskId', 'outcome', v->'outcome',
      'reason', case when v->>'outcome' not in ('FILTER_MISMATCH', 'FILTER_ERROR') then v->'reason' end)), '[]')
    from json_array_elements(${verdicts}) v) end`;

/** Erases the payload of an envelope that the transaction has locked, and what quotes it. */
export async function erasePayload(tx: Sql, id: string, erasedBy: string): Promise<void> {
  await rows(
    tx,
    `update envelope set payload = '{}', last_error = null, verdicts = ${withoutValues('verdicts')},
       erasure = json_build_object(
         'erasedAt', to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'erasedBy', $2::uuid,
         'sha256', encode(sha256(convert_to(payload::text, 'UTF8')), 'hex'), 'bytes', payload_bytes)
     where id = $1`,
    [id, erasedBy],
  );
  await rows(
    tx,
    `update envelope_replay set previous_verdicts = ${withoutValues('previous_verdicts')} where envelope_id = $1`,
    [id],
  );
}

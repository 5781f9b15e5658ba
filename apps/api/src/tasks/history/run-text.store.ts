import { rows, type Sql } from '../../infra/database/rows.ts';

/** What a search reads of the steps of a run: its latest ones. */
const STEPS = 1_000;
/** What a payload counts that is stored with its envelope: its size is not known without reading it. */
const ENVELOPE_BYTES = 16_384;

/** The latest steps of a run `r` that have logged something. */
const LOGS = `
  (select log from run_step where run_id = r.id order by attempt desc, position desc limit ${STEPS}) s where s.log is not null`;

/** Returns how many bytes of each run a search reads from the disk, where they are compressed, in the order of the ids. */
export async function listStoredSizes(sql: Sql, ids: readonly string[]): Promise<number[]> {
  const found = await rows<{ bytes: number }>(
    sql,
    `select (pg_column_size(r.inputs) + coalesce(pg_column_size(r.error), 0)
       + coalesce(pg_column_size(r.payload), case when r.envelope_id is null then 0 else ${ENVELOPE_BYTES} end)
       + coalesce((select sum(pg_column_size(s.log)) from ${LOGS}), 0))::int as bytes
     from unnest($1::uuid[]) with ordinality as k(id, n) left join run r on r.id = k.id order by k.n`,
    [ids],
  );
  return found.map(({ bytes }) => bytes);
}

/** Returns which of the runs have a text in their inputs, payload, error, or logs, whatever the case of its letters. */
export async function listRunsWithText(sql: Sql, ids: readonly string[], text: string): Promise<Set<string>> {
  const has = (value: string) => `strpos(lower(${value}::text), lower(k.text)) > 0`;
  const found = await rows<{ id: string }>(
    sql,
    `select r.id from (select $2::text as text) k, run r
     where r.id = any($1::uuid[]) and r.erased_at is null and (
       ${has('r.inputs')} or ${has('r.error')} or ${has('coalesce(r.payload, envelope_payload(r.envelope_id))')}
       or exists (select from ${LOGS} and ${has('s.log')}))`,
    [ids, text],
  );
  return new Set(found.map(({ id }) => id));
}

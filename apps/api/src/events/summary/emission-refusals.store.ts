import { affected, exactlyOne, rows, type Sql } from '../../infra/database/rows.ts';

export interface Refusals {
  events: number;
  lastAt: Date | null;
}

/** Adds refused events to the current minute, in the order of the spaces: concurrent processes must not deadlock. */
export async function addRefusals(sql: Sql, refused: ReadonlyMap<string, number>): Promise<void> {
  const sorted = [...refused].sort(([one], [other]) => (one < other ? -1 : 1));
  await rows(
    sql,
    `insert into emission_refusal as r (space_id, minute, events, last_at)
     select space_id, date_trunc('minute', clock_timestamp()), events, clock_timestamp()
     from unnest($1::uuid[], $2::bigint[]) as refused(space_id, events)
     on conflict (space_id, minute) do update set events = r.events + excluded.events, last_at = excluded.last_at
     returning r.space_id`,
    [sorted.map(([spaceId]) => spaceId), sorted.map(([, events]) => events)],
  );
}

export function sumRefusals(sql: Sql, spaceId: string, from: Date): Promise<Refusals> {
  return exactlyOne(
    sql,
    `select coalesce(sum(events), 0)::float8 as events, max(last_at) as last_at
     from emission_refusal where space_id = $1 and minute >= $2`,
    [spaceId, from],
  );
}

/** Deletes at most `limit` minutes that no summary shows any more. */
export function purgeRefusals(sql: Sql, limit: number): Promise<number> {
  return affected(
    sql,
    `delete from emission_refusal where ctid = any(array(
       select ctid from emission_refusal where minute < statement_timestamp() - interval '31 days' limit $1))`,
    [limit],
  );
}

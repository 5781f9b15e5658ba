import { rows, type Sql } from '../../infra/database/rows.ts';

/** A turn that nobody runs any more, and the stream that it left open. */
export interface Orphan {
  id: string;
  streamId: string;
}

/** The turns whose process has not renewed its lease. */
export function findOrphans(sql: Sql): Promise<Orphan[]> {
  return rows(
    sql,
    // statement_timestamp(), for no index serves a comparison with clock_timestamp().
    `select g.turn_id as id, g.stream_id as "streamId"
     from stream s join turn_segment g on g.stream_id = s.id
     where s.ended_at is null and s.lease_until < statement_timestamp()
     -- Those that cannot be ended stay behind the others.
     order by s.lease_until desc limit 100`,
  );
}

import { rows, type Sql } from '../../infra/database/rows.ts';

/** A turn whose process died, and the stream that it left open. */
export interface Orphan {
  id: string;
  streamId: string;
}

/** The turns of streams, in the order of the streams. */
export function listTurnsOfStreams(sql: Sql, streamIds: string[]): Promise<Orphan[]> {
  return rows(
    sql,
    `select g.turn_id as id, g.stream_id
     from unnest($1::uuid[]) with ordinality as s(id, place) join turn_segment g on g.stream_id = s.id
     order by s.place`,
    [streamIds],
  );
}

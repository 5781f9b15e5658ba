import { rows, type Sql } from '../../infra/database/rows.ts';

/** What the rows of a table take. */
export interface TableSize {
  applicationId: string;
  name: string;
  count: number;
  bytes: number;
}

export function sumSizes(sql: Sql, spaceId: string): Promise<TableSize[]> {
  return rows(
    sql,
    `select application_id, table_name as name, sum(row_count)::float8 as count, sum(bytes)::float8 as bytes
     from data_size where space_id = $1 group by 1, 2`,
    [spaceId],
  );
}

/** Adds up the changes of at most `limit` tables. Returns of how many. */
export async function addUpSizes(sql: Sql, limit: number): Promise<number> {
  const added = await rows(
    sql,
    `with several as (
       select space_id, application_id, table_name from data_size group by 1, 2, 3 having count(*) > 1 limit $1
     ), gone as (
       delete from data_size d using several s
       where (d.space_id, d.application_id, d.table_name) = (s.space_id, s.application_id, s.table_name)
       returning d.*
     )
     insert into data_size (space_id, application_id, table_name, row_count, bytes)
     select space_id, application_id, table_name, sum(row_count), sum(bytes) from gone group by 1, 2, 3 returning 1`,
    [limit],
  );
  return added.length;
}

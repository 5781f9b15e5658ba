import type { ManifestColumn, ManifestTable } from '@platform/contracts';
import { firstRow, rows, type Sql } from '../../infra/database/rows.ts';

/** An application of a space. */
export interface TableOwner {
  spaceId: string;
  applicationId: string;
}

/** A table as an insert needs it. */
export interface DataTable {
  columns: ManifestColumn[];
  insertEvent: string | null;
}

/** Declares tables, again if they were retired. Their rows are not touched. */
export async function putTables(
  sql: Sql,
  { spaceId, applicationId }: TableOwner,
  tables: readonly ManifestTable[],
): Promise<void> {
  await rows(
    sql,
    `insert into data_table (space_id, application_id, name, columns, insert_event)
     select $1, $2, name, columns::json, insert_event
     from unnest($3::text[], $4::text[], $5::text[]) as t(name, columns, insert_event)
     on conflict (space_id, application_id, name) do update set
       columns = excluded.columns, insert_event = excluded.insert_event, retired_at = null`,
    [
      spaceId,
      applicationId,
      tables.map(({ name }) => name),
      tables.map(({ columns }) => JSON.stringify(columns)),
      tables.map(({ emits }) => emits?.onInsert ?? null),
    ],
  );
}

/** Retires the tables of an application except those with the given names. */
export async function retireTables(
  sql: Sql,
  { spaceId, applicationId }: TableOwner,
  kept: readonly string[],
): Promise<void> {
  await rows(
    sql,
    `update data_table set retired_at = clock_timestamp()
     where space_id = $1 and application_id = $2 and retired_at is null and name <> all($3::text[])`,
    [spaceId, applicationId, kept],
  );
}

/** Finds a table that the installed version of an application declares. */
export function findTable(
  sql: Sql,
  { spaceId, applicationId }: TableOwner,
  name: string,
): Promise<DataTable | null> {
  return firstRow(
    sql,
    `select columns, insert_event from data_table
     where space_id = $1 and application_id = $2 and name = $3 and retired_at is null`,
    [spaceId, applicationId, name],
  );
}

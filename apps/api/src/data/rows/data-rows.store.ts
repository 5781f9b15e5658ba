import { In, IsNull, type EntityManager } from 'typeorm';
import { exactlyOne, rows, type Sql } from '../../infra/database/rows.ts';
import { DataRowEntity } from './data-row.entity.ts';

/** A table of an application of a space. */
export interface TableKey {
  spaceId: string;
  applicationId: string;
  tableName: string;
}

export interface NewRow {
  id: string;
  values: Record<string, unknown>;
}

/** Inserts rows in one statement and returns when each was created. */
export async function insertRows(
  sql: Sql,
  { spaceId, applicationId, tableName }: TableKey,
  added: readonly NewRow[],
): Promise<Map<string, Date>> {
  const inserted = await rows<{ id: string; createdAt: Date }>(
    sql,
    `insert into data_row (id, space_id, application_id, table_name, column_values, created_at, updated_at)
     select id, $1, $2, $3, column_values::json, now, now
     from unnest($4::uuid[], $5::text[]) as r(id, column_values), clock_timestamp() as now
     returning id, created_at`,
    [
      spaceId,
      applicationId,
      tableName,
      added.map(({ id }) => id),
      added.map(({ values }) => JSON.stringify(values)),
    ],
  );
  return new Map(inserted.map(({ id, createdAt }) => [id, createdAt]));
}

/** Loads rows in the order of their ids; those that have been deleted meanwhile are omitted. */
export async function loadRows(
  tx: EntityManager,
  { spaceId, applicationId, tableName }: TableKey,
  ids: readonly string[],
): Promise<DataRowEntity[]> {
  const found = await tx.findBy(DataRowEntity, {
    spaceId,
    applicationId,
    tableName,
    id: In(ids),
    deletedAt: IsNull(),
  });
  const rowOf = new Map(found.map((row) => [row.id, row]));
  return ids.flatMap((id) => rowOf.get(id) ?? []);
}

/** Counts how many of the rows, taken in this order, have at most `maxBytes` together, with `overhead` for each. */
export async function countWithin(
  sql: Sql,
  ids: readonly string[],
  overhead: number,
  maxBytes: number,
): Promise<number> {
  const { count } = await exactlyOne<{ count: number }>(
    sql,
    `select count(*)::int as count from (
       select sum(octet_length(r.column_values::text) + $2::int) over (order by i.n) as bytes
       from unnest($1::uuid[]) with ordinality as i(id, n) join data_row r on r.id = i.id) as rows
     where bytes <= $3`,
    [ids, overhead, maxBytes],
  );
  return count;
}

/** Returns a row that nobody else can change until the transaction ends. */
export function lockRow(tx: EntityManager, table: TableKey, id: string): Promise<DataRowEntity | null> {
  return tx.findOne(DataRowEntity, {
    where: { ...table, id, deletedAt: IsNull() },
    lock: { mode: 'pessimistic_write' },
  });
}

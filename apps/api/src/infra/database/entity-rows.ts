import type {
  DataSource,
  EntityManager,
  EntityTarget,
  FindOptionsWhere,
  InsertQueryBuilder,
  ObjectLiteral,
  QueryDeepPartialEntity,
  UpdateQueryBuilder,
  ValueTransformer,
} from 'typeorm';
import { preparedRecords } from './rows.ts';

/** Reads bigint and numeric columns, which the driver returns as text, as numbers. Only for values within 2^53. */
export const asNumber: ValueTransformer = {
  from: (value: string | null): number | null => (value === null ? null : Number(value)),
  to: (value: unknown): unknown => value,
};

/** Values for columns, or SQL expressions that compute them. */
export type ColumnValues<Entity> = { [Key in keyof Entity]?: Entity[Key] | (() => string) };

/** Inserts a row and returns it as stored, with what the database filled in. */
export async function insertRow<Entity extends ObjectLiteral>(
  tx: EntityManager,
  target: EntityTarget<Entity>,
  values: ColumnValues<Entity>,
): Promise<Entity> {
  const insert = tx.createQueryBuilder().insert().into(target).values(asPartial(values));
  const [row] = await returned(tx, target, insert);
  if (row === undefined) throw new Error('The row was not inserted');
  return row;
}

/** As `insertRow`; null if a unique index already has such a row. */
export async function insertRowIfAbsent<Entity extends ObjectLiteral>(
  tx: EntityManager,
  target: EntityTarget<Entity>,
  values: ColumnValues<Entity>,
): Promise<Entity | null> {
  const insert = tx.createQueryBuilder().insert().into(target).values(asPartial(values)).orIgnore();
  const [row] = await returned(tx, target, insert);
  return row ?? null;
}

/** Updates rows and returns them as stored. */
export async function updateRows<Entity extends ObjectLiteral>(
  tx: EntityManager,
  target: EntityTarget<Entity>,
  where: FindOptionsWhere<Entity>,
  change: ColumnValues<Entity>,
): Promise<Entity[]> {
  return returned(tx, target, tx.createQueryBuilder().update(target).set(asPartial(change)).where(where));
}

/** As `updateRows` for a row that exists: throws unless exactly one was updated. */
export async function updateRow<Entity extends ObjectLiteral>(
  tx: EntityManager,
  target: EntityTarget<Entity>,
  where: FindOptionsWhere<Entity>,
  change: ColumnValues<Entity>,
): Promise<Entity> {
  const [row, another] = await updateRows(tx, target, where, change);
  if (row === undefined || another !== undefined) throw new Error('Not exactly one row was updated');
  return row;
}

/**
 * Reads entities by a statement that each connection parses and plans once, for reads that every call makes. `text` gets
 * the columns to select. `name` belongs to this statement alone.
 */
export async function preparedEntities<Entity extends ObjectLiteral>(
  database: DataSource,
  target: EntityTarget<Entity>,
  name: string,
  text: (columns: string) => string,
  values: unknown[],
): Promise<Entity[]> {
  const statement = text(columnsOf(database, target));
  return toEntities(
    database,
    target,
    await preparedRecords<ObjectLiteral>(database, name, statement, values),
  );
}

/**
 * The columns of an entity, for a prepared statement that returns them. With `*` it would fail on every connection once a
 * later version has added a column, while this version still runs. With the alias of the table in a join, their names begin with it.
 */
export function columnsOf<Entity extends ObjectLiteral>(
  database: DataSource,
  target: EntityTarget<Entity>,
  alias?: string,
): string {
  const { columns } = database.getMetadata(target);
  return columns
    .map(({ databaseName: name }) =>
      alias === undefined ? `"${name}"` : `${alias}."${name}" as "${alias}_${name}"`,
    )
    .join(', ');
}

/** Reads entities from rows that contain every column of their table under its own name, after that of the alias in a join. */
export function toEntities<Entity extends ObjectLiteral>(
  database: DataSource,
  target: EntityTarget<Entity>,
  rows: readonly ObjectLiteral[],
  alias?: string,
): Entity[] {
  const metadata = database.getMetadata(target);
  const prefix = alias === undefined ? '' : `${alias}_`;
  return rows.map((row) => {
    const entity = metadata.create() as Entity;
    for (const column of metadata.columns) {
      const value: unknown = row[`${prefix}${column.databaseName}`];
      column.setEntityValue(entity, database.driver.prepareHydratedValue(value, column));
    }
    return entity;
  });
}

async function returned<Entity extends ObjectLiteral>(
  { dataSource }: EntityManager,
  target: EntityTarget<Entity>,
  query: InsertQueryBuilder<Entity> | UpdateQueryBuilder<Entity>,
): Promise<Entity[]> {
  const result = await query.returning('*').updateEntity(false).execute();
  return toEntities(dataSource, target, result.raw as ObjectLiteral[]);
}

/** TypeORM's own type refuses JSON columns whose type contains `unknown`. */
function asPartial<Entity>(values: ColumnValues<Entity>): QueryDeepPartialEntity<Entity> {
  return values as QueryDeepPartialEntity<Entity>;
}

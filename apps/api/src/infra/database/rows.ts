import type { Pool } from 'pg';
import type { DataSource, EntityManager } from 'typeorm';
import { propertyOf, type PreparedStatement } from './statement.ts';

/** Anything that can run SQL: the pool, or the transaction one is in. */
export type Sql = Pick<EntityManager | DataSource, 'query'>;

/** Renames the columns of the rows of one result: `space_id` becomes `spaceId`. What their values contain stays as it is. */
function namedAsProperties<Row>(found: readonly object[]): Row[] {
  const [first] = found;
  const columns = first ? Object.keys(first) : [];
  if (!columns.some((column) => column.includes('_'))) return found as Row[];
  const properties = columns.map(propertyOf);
  return (found as Record<string, unknown>[]).map((row) => {
    const named: Record<string, unknown> = {};
    for (const [i, column] of columns.entries()) named[properties[i] ?? column] = row[column];
    return named as Row;
  });
}

/**
 * Runs a statement and returns its rows, whatever its verb, with camelCase names.
 * TypeORM returns `[rows, count]` for UPDATE and DELETE, and plain rows for everything else.
 */
export async function rows<Row>(sql: Sql, statement: string, parameters: unknown[] = []): Promise<Row[]> {
  const result: unknown = await sql.query(statement, parameters);
  if (!Array.isArray(result)) return [];
  if (result.length === 2 && Array.isArray(result[0]) && typeof result[1] === 'number') {
    return namedAsProperties(result[0] as object[]);
  }
  return namedAsProperties(result as object[]);
}

/** Runs an UPDATE or a DELETE, and returns how many rows it affected. */
export async function affected(sql: Sql, statement: string, parameters: unknown[] = []): Promise<number> {
  const [, count] = await sql.query<[unknown, number]>(statement, parameters);
  return count;
}

/** What prepared statements need: the pool with its connections, or the transaction one is in. */
export type PreparedSql = DataSource | EntityManager;

/**
 * Runs a statement that each connection parses and plans once: for the few statements that every call makes, where the ORM
 * and the planner would cost more than the rows. `name` belongs to this statement alone.
 *
 * It does not wait for the BEGIN of its transaction. In the rare case that BEGIN alone fails, it is executed without the
 * transaction, so those that come first must be harmless by themselves.
 *
 * An array is written as `(select $1::text[])` where PostgreSQL would otherwise prefer a plan for just its length, and plan
 * every time; a test looks for such statements.
 */
export function preparedRows<Row extends object>(
  sql: PreparedSql,
  name: string,
  text: string,
  values: unknown[],
): Promise<Row[]> {
  return query(sql, { name, text, values, namesProperties: true });
}

/** Like `preparedRows`, but the rows keep the names of their columns, for `toEntities`. */
export function preparedRecords<Row extends object>(
  sql: PreparedSql,
  name: string,
  text: string,
  values: unknown[],
): Promise<Row[]> {
  return query(sql, { name, text, values });
}

/**
 * Like `preparedRows`, for the statements of queues and logs: each connection keeps its first plan, which uses indexes only
 * and does not prune partitions as it executes (`Connection`). In a transaction, this holds for what follows as well.
 */
export function keptPlanRows<Row extends object>(
  sql: PreparedSql,
  name: string,
  text: string,
  values: unknown[],
): Promise<Row[]> {
  return query(sql, { name, text, values, keepsPlan: true, namesProperties: true });
}

/** Like `preparedRows`: the first row, or null. */
export async function firstPreparedRow<Row extends object>(
  sql: PreparedSql,
  name: string,
  text: string,
  values: unknown[],
): Promise<Row | null> {
  const [row] = await preparedRows<Row>(sql, name, text, values);
  return row ?? null;
}

/**
 * Awaits prepared statements of one transaction that were sent in this order without waiting for each other, which saves
 * a round trip for each. Throws their first failure that is no consequence of another. All have ended then, so the
 * transaction can be rolled back.
 */
export async function pipelined<T extends readonly unknown[]>(
  ...statements: T
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  const outcomes = await Promise.allSettled(statements);
  const cause = outcomes.find((outcome) => outcome.status === 'rejected' && !isConsequence(outcome.reason));
  if (cause?.status === 'rejected') throw cause.reason;
  return Promise.all(statements);
}

/** A transaction whose COMMIT can be sent before its work has ended. */
export interface CommitsEarly {
  /** Sends COMMIT behind the prepared statements that were just sent. Nothing can follow. */
  sendCommit(): void;
}

/**
 * Like `pipelined`, for the last statements of a transaction: COMMIT is sent with them, which saves a round trip. If one of them
 * fails, PostgreSQL rolls back. They must have been sent when this is called, so each makes its only `await` for the database.
 */
export function pipelinedLast<T extends readonly unknown[]>(
  tx: EntityManager,
  ...statements: T
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  (tx.queryRunner as unknown as CommitsEarly).sendCommit();
  return pipelined(...statements);
}

/** Whether PostgreSQL rejected a statement because an earlier one of its transaction failed. */
function isConsequence(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === '25P02';
}

async function query<Row extends object>(sql: PreparedSql, statement: PreparedStatement): Promise<Row[]> {
  const { rows } = await (await clientOf(sql)).query<Row>(statement);
  return rows;
}

/** The connection of the transaction that one is in; otherwise the pool. */
function clientOf(sql: PreparedSql): Promise<Pick<Pool, 'query'>> {
  if ('queryRunner' in sql && sql.queryRunner)
    return sql.queryRunner.connect() as Promise<Pick<Pool, 'query'>>;
  const { driver } = 'driver' in sql ? sql : sql.dataSource;
  return Promise.resolve(poolOf({ driver }));
}

/** The connections of a database. */
export function poolOf({ driver }: Pick<DataSource, 'driver'>): Pool {
  return (driver as unknown as { master: Pool }).master;
}

/** The first row, or null. */
export async function firstRow<Row>(
  sql: Sql,
  statement: string,
  parameters: unknown[] = [],
): Promise<Row | null> {
  const [row] = await rows<Row>(sql, statement, parameters);
  return row ?? null;
}

/** Returns the only row; throws if there is none, or more than one. */
export async function exactlyOne<Row>(sql: Sql, statement: string, parameters: unknown[] = []): Promise<Row> {
  const [row, ...others] = await rows<Row>(sql, statement, parameters);
  if (row === undefined || others.length > 0) throw new Error(`Expected one row: ${statement}`);
  return row;
}

/** The time of the database, to a millisecond. */
export async function readTime(sql: Sql): Promise<Date> {
  const { now } = await exactlyOne<{ now: Date }>(sql, 'select clock_timestamp()::timestamptz(3) as now');
  return now;
}

/** Whether a failure is a unique violation of the named constraint or index. */
export function violates(error: unknown, constraint: string): boolean {
  const { code, constraint: name } = error as { code?: unknown; constraint?: unknown };
  return code === '23505' && name === constraint;
}

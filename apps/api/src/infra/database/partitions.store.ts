import { Logger } from '@nestjs/common';
import { rows, type Sql } from './rows.ts';

const logger = new Logger('Partitions');

export interface PartitionRange {
  name: string;
  /** The first id that belongs to it. */
  first: string;
  /** The first id that no longer belongs to it. */
  before: string;
}

/** A partition and the time at which its last id was possible. */
export interface Partition extends PartitionRange {
  /** Whether it was being detached when a process stopped. */
  isHalfDetached: boolean;
}

/** Creates the partitions of the current month and the next one. */
export async function ensurePartitions(sql: Sql, table: string): Promise<void> {
  await rows(
    sql,
    `select ensure_partition($1, clock_timestamp() + n * interval '1 month') from generate_series(0, 1) n`,
    [table],
  );
}

/** Creates the partition for which an insert has failed. Returns false if that is not why it failed. */
export async function createMissingPartition(sql: Sql, error: unknown): Promise<boolean> {
  const { code, table, constraint, detail } = (error ?? {}) as Record<string, unknown>;
  // The text of the message depends on the language of the server.
  if (code !== '23514' || typeof table !== 'string' || constraint !== undefined) return false;
  logger.warn({ err: error }, 'A partition was missing and is created now');
  // What is stored for an old row, such as a replay of its event, belongs to the month of that row.
  const [, id] = /= \(([0-9a-f-]{36})\)/.exec(String(detail)) ?? [];
  if (id === undefined) await ensurePartitions(sql, table);
  else
    await rows(
      sql,
      `select ensure_partition($1, to_timestamp(('x' || left(replace($2, '-', ''), 12))::bit(48)::bigint / 1000.0))`,
      [table, id],
    );
  return true;
}

/** Lists partitions whose last possible id is older than `days`, oldest first. */
export function listExpiredPartitions(sql: Sql, table: string, days: number): Promise<Partition[]> {
  return rows(
    sql,
    `select * from (
       select c.relname as name, i.inhdetachpending as is_half_detached,
         substring(pg_get_expr(c.relpartbound, c.oid) from $$FROM \\('([0-9a-f-]{36})'\\)$$)::uuid as first,
         substring(pg_get_expr(c.relpartbound, c.oid) from $$TO \\('([0-9a-f-]{36})'\\)$$)::uuid as before
       from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = to_regclass($1)
     ) p where before <= uuid_v7_floor(clock_timestamp() - $2 * interval '1 day') order by before`,
    [table, days],
  );
}

/** Detaches a partition without blocking the statements on its table. Not within a transaction. */
export async function detachPartition(sql: Sql, table: string, partition: Partition): Promise<void> {
  const how = partition.isHalfDetached ? 'finalize' : 'concurrently';
  await rows(sql, `alter table ${quoted(table)} detach partition ${quoted(partition.name)} ${how}`);
}

export async function dropTable(sql: Sql, name: string): Promise<void> {
  await rows(sql, `drop table if exists ${quoted(name)}`);
}

/** Lists detached partitions of a table that were not dropped because a process stopped. */
export function listDetached(sql: Sql, table: string): Promise<PartitionRange[]> {
  return rows(
    sql,
    `select c.relname as name, uuid_v7_floor(to_date(right(c.relname, 6), 'YYYYMM')::timestamp at time zone 'UTC') as first,
       uuid_v7_floor((to_date(right(c.relname, 6), 'YYYYMM') + interval '1 month') at time zone 'UTC') as before
     from pg_class c
     where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and not c.relispartition
       and c.relname ~ ('^' || $1 || '_[0-9]{6}$')`,
    [table],
  );
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

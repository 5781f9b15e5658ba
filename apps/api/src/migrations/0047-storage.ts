import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How many bytes the events and rows of a space take, and how many they may take. */
export class Storage1763600000047 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    // Null: no limit.
    await db.query(`
      create table storage_quota (
        space_id uuid primary key references space (id),
        event_bytes bigint check (event_bytes > 0),
        row_bytes bigint check (row_bytes > 0)
      )`);
    for (const table of ['event_minute', 'event_hour'])
      await db.query(`alter table ${table} add column bytes bigint not null default 0`);

    // Changes are appended, so that no write waits for another; a sweep adds them up.
    await db.query(`
      create table data_size (
        id uuid primary key default uuid_v7(),
        space_id uuid not null,
        application_id uuid not null,
        table_name text not null,
        row_count bigint not null,
        bytes bigint not null
      )`);
    await db.query('create index data_size_of_table on data_size (space_id, application_id, table_name)');
    const size = 'space_id, application_id, table_name';
    const sum = (rows: string) => `
      insert into data_size (${size}, row_count, bytes)
      select ${size}, sum(n), sum(n * octet_length(column_values::text)) from (${rows}) changed
      group by ${size} having sum(n) <> 0 or sum(n * octet_length(column_values::text)) <> 0`;
    const part = (table: string, n: number) =>
      `select ${size}, column_values, ${n} as n from ${table} where deleted_at is null`;
    const changes = {
      insert: [part('added', 1)],
      update: [part('added', 1), part('removed', -1)],
      delete: [part('removed', -1)],
    };
    // No row changes between the first count and the triggers.
    await db.query('lock table data_row in share row exclusive mode');
    for (const [verb, parts] of Object.entries(changes)) {
      await db.query(`
        create function data_size_${verb}() returns trigger language plpgsql as $$
        begin ${sum(parts.join(' union all '))}; return null; end $$`);
      const tables = [
        verb !== 'delete' && 'new table as added',
        verb !== 'insert' && 'old table as removed',
      ].filter((one) => one !== false);
      await db.query(`
        create trigger data_size_${verb} after ${verb} on data_row referencing ${tables.join(' ')}
        for each statement execute function data_size_${verb}()`);
    }
    await db.query(sum(part('data_row', 1)));
  }

  async down(db: QueryRunner): Promise<void> {
    for (const verb of ['insert', 'update', 'delete']) {
      await db.query(`drop trigger data_size_${verb} on data_row`);
      await db.query(`drop function data_size_${verb}()`);
    }
    for (const table of ['event_minute', 'event_hour'])
      await db.query(`alter table ${table} drop column bytes`);
    await db.query('drop table data_size, storage_quota');
  }
}

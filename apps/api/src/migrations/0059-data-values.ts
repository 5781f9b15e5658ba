import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * An index of the values of rows. Triggers maintain it like any index: whoever writes a row, also a process of the previous
 * version, changes it in the same statement.
 */
export class DataValues1763600000059 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table data_value (
        row_id uuid not null,
        column_key uuid not null,
        number float8,
        text text collate "C",
        primary key (row_id, column_key)
      )`);
    await db.query(
      'create index data_value_number on data_value (column_key, number, row_id) where number is not null',
    );
    await db.query(
      'create index data_value_text on data_value (column_key, text, row_id) where text is not null',
    );

    await db.query(`
      create function data_column_key(application_id uuid, table_name text, column_name text) returns uuid
      language sql immutable parallel safe
      return md5(application_id::text || '/' || table_name || '/' || column_name)::uuid`);

    // A text that only looks like a time must not fail the statement that stores it.
    await db.query(`
      create function data_instant_ms(value text) returns float8 language plpgsql stable parallel safe as $$
      begin
        return floor(extract(epoch from value::timestamptz) * 1000);
      exception when data_exception then
        return null;
      end $$`);

    // Texts can contain what PostgreSQL cannot represent, so escapes of it are replaced.
    await db.query(`
      create function data_values(application_id uuid, table_name text, id uuid, column_values json)
      returns table (row_id uuid, column_key uuid, number float8, text text)
      language sql stable parallel safe as $$
        select $3, data_column_key($1, $2, key),
          case kind when 'number' then content::float8 when 'boolean' then (content = 'true')::int::float8
            when 'string' then case
              when content ~ '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d[\\d:.]*(Z|[+-]\\d\\d:\\d\\d)$' then data_instant_ms(content)
            end
          end,
          case kind when 'string' then left(content, 100) end
        from json_each(case when position('\\u' in $4::text) = 0 then $4
          else regexp_replace($4::text, '\\\\u(0000|[dD][89a-fA-F][0-9a-fA-F]{2})', '\\\\ufffd', 'g')::json end),
          json_typeof(value) as kind, lateral (select value #>> '{}' as content) as texts
        where kind in ('number', 'boolean', 'string')
      $$`);

    await db.query(`
      create function data_row_index() returns trigger language plpgsql as $$
      begin
        if tg_op <> 'INSERT' then
          delete from data_value where row_id in (select id from before);
        end if;
        if tg_op <> 'DELETE' then
          insert into data_value (row_id, column_key, number, text)
          select v.row_id, v.column_key, v.number, v.text from after r, data_values(r.application_id, r.table_name, r.id, r.column_values) v
          where r.deleted_at is null;
        end if;
        return null;
      end $$`);
    for (const [operation, tables] of [
      ['insert', 'new table as after'],
      ['update', 'old table as before new table as after'],
      ['delete', 'old table as before'],
    ]) {
      await db.query(`
        create trigger data_row_index_${operation} after ${operation} on data_row
        referencing ${tables} for each statement execute function data_row_index()`);
    }
  }

  async down(db: QueryRunner): Promise<void> {
    for (const operation of ['insert', 'update', 'delete'])
      await db.query(`drop trigger data_row_index_${operation} on data_row`);
    await db.query('drop function data_row_index, data_values, data_instant_ms, data_column_key');
    await db.query('drop table data_value');
  }
}

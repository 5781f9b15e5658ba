import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Applications of a space, the keys they call with, their manifests, and the rows they store. */
export class Applications1763600000020 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table application (
        id uuid primary key default uuid_v7(),
        space_id uuid not null references space (id),
        identifier text not null,
        created_at timestamptz(3) not null default clock_timestamp(),
        uninstalled_at timestamptz(3),
        unique (space_id, identifier),
        unique (space_id, id)
      )`);

    await db.query(`
      create table system_key (
        id uuid primary key default uuid_v7(),
        application_id uuid not null references application (id),
        public_id text not null unique,
        secret_hash bytea not null,
        created_at timestamptz(3) not null default clock_timestamp(),
        last_used_at timestamptz(3),
        revoked_at timestamptz(3)
      )`);
    await db.query(
      'create unique index system_key_current on system_key (application_id) where revoked_at is null',
    );

    await db.query(`
      create table application_manifest (
        application_id uuid primary key references application (id),
        space_id uuid not null,
        name text not null,
        version text not null,
        manifest json not null,
        manifest_hash bytea not null,
        event_count int not null,
        table_count int not null,
        task_count int not null,
        installed_by uuid not null,
        installed_at timestamptz(3) not null default clock_timestamp(),
        updated_at timestamptz(3) not null default clock_timestamp(),
        foreign key (space_id, application_id) references application (space_id, id)
      )`);
    await db.query(
      'create index application_manifest_list on application_manifest (space_id, application_id)',
    );

    // What a manifest declares about its tables. A retired one keeps its rows.
    await db.query(`
      create table data_table (
        space_id uuid not null,
        application_id uuid not null,
        name text not null,
        columns json not null,
        insert_event text,
        retired_at timestamptz(3),
        primary key (space_id, application_id, name),
        foreign key (space_id, application_id) references application (space_id, id)
      )`);

    // Rows of every table of every application. Their types are checked by the service, without DDL.
    await db.query(`
      create table data_row (
        id uuid primary key default uuid_v7(),
        space_id uuid not null,
        application_id uuid not null,
        table_name text not null,
        column_values json not null,
        created_at timestamptz(3) not null default clock_timestamp(),
        updated_at timestamptz(3) not null default clock_timestamp(),
        deleted_at timestamptz(3),
        foreign key (space_id, application_id, table_name) references data_table (space_id, application_id, name)
      )`);
    await db.query(
      'create index data_row_list on data_row (application_id, table_name, id desc) where deleted_at is null',
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table data_row, data_table, application_manifest, system_key, application');
  }
}

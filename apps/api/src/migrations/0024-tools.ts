import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tools that call HTTP APIs, their methods, and recent responses. */
export class Tools1763600000024 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table tool (
        id uuid primary key default uuid_v7(),
        space_id uuid not null references space (id),
        name text not null,
        description text not null,
        kind text not null check (kind in ('http', 'speech', 'builtin')),
        server_url text not null,
        auth json not null,
        auth_secret text,
        credentials_version int not null default 1,
        created_by uuid not null,
        created_at timestamptz(3) not null default clock_timestamp(),
        updated_at timestamptz(3) not null default clock_timestamp(),
        deleted_at timestamptz(3),
        unique (space_id, id)
      )`);
    await db.query('create index tool_list on tool (space_id, id desc) where deleted_at is null');
    await db.query('create unique index tool_name on tool (space_id, lower(name)) where deleted_at is null');

    await db.query(`
      create table tool_method (
        id uuid primary key default uuid_v7(),
        space_id uuid not null,
        tool_id uuid not null,
        name text not null,
        description text not null,
        http_method text not null,
        path text not null,
        server_url text,
        input_schema json not null,
        output_schema json not null,
        bindings json not null,
        body_media_type text,
        encoding json,
        operation_key text not null,
        acts boolean not null,
        imported json,
        cache_ttl_seconds int not null default 0,
        retry json not null,
        timeout_ms int not null default 30000,
        enabled boolean not null default true,
        deprecated boolean not null default false,
        created_at timestamptz(3) not null default clock_timestamp(),
        updated_at timestamptz(3) not null default clock_timestamp(),
        foreign key (space_id, tool_id) references tool (space_id, id) on delete cascade
      )`);
    await db.query('create unique index tool_method_name on tool_method (tool_id, lower(name))');

    // Successful responses, by a hash of the method, its version, the credentials, and the input.
    await db.query(`
      create table tool_response (
        key bytea primary key,
        space_id uuid not null,
        method_id uuid not null references tool_method (id) on delete cascade,
        status int not null,
        output json,
        expires_at timestamptz not null
      )`);
    await db.query('create index tool_response_expiry on tool_response (expires_at)');
    await db.query('create index tool_response_method on tool_response (method_id)');

    // What a space has set up for a tool of the platform, such as speech recognition.
    await db.query(`
      create table tool_configuration (
        space_id uuid not null references space (id),
        tool_name text not null,
        configuration json not null,
        secret text,
        updated_by uuid not null,
        updated_at timestamptz(3) not null default clock_timestamp(),
        primary key (space_id, tool_name)
      )`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table tool_configuration, tool_response, tool_method, tool');
  }
}

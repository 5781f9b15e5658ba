import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Turns1763600000005 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table session (
        id uuid primary key default uuid_v7(),
        space_id uuid not null,
        agent_id uuid not null references agent (id),
        user_id uuid not null references platform_user (id),
        name text not null,
        title text not null default '',
        turn_count int not null default 0,
        created_at timestamptz not null default clock_timestamp(),
        last_turn_at timestamptz not null default clock_timestamp(),
        deleted_at timestamptz
      )`);
    await db.query(
      'create unique index session_name on session (agent_id, user_id, name) where deleted_at is null',
    );
    await db.query('create index session_recent on session (agent_id, user_id, last_turn_at desc, id desc)');
    await db.query(`
      create table turn (
        id uuid primary key default uuid_v7(),
        space_id uuid not null,
        agent_id uuid not null references agent (id),
        user_id uuid not null references platform_user (id),
        session_id uuid not null references session (id),
        client_turn_id text not null,
        n int not null,
        contents_hash bytea not null,
        status text not null check (status in
          ('QUEUED', 'RUNNING', 'INPUT_REQUIRED', 'COMPLETED', 'FAILED', 'CANCELLED')),
        settings json not null,
        model text not null,
        error json,
        prompt_tokens int not null default 0,
        completion_tokens int not null default 0,
        cost numeric(20, 9) not null default 0,
        estimated boolean not null default false,
        execution_ms bigint not null default 0,
        created_at timestamptz not null default clock_timestamp(),
        started_at timestamptz,
        finished_at timestamptz,
        unique (session_id, n)
      )`);
    await db.query('create unique index turn_client_id on turn (agent_id, user_id, client_turn_id)');
    // A session runs one turn at a time; the index settles the race.
    await db.query(`create unique index turn_running on turn (session_id) where status = 'RUNNING'`);
    await db.query(`
      create table turn_segment (
        turn_id uuid not null references turn (id),
        segment int not null,
        origin text not null check (origin in ('start', 'resume', 'rerun')),
        stream_id uuid not null unique references stream (id),
        created_at timestamptz not null default clock_timestamp(),
        primary key (turn_id, segment)
      )`);
    // json, not jsonb: jsonb refuses U+0000 and reorders keys.
    await db.query(`
      create table turn_item (
        id uuid not null default uuid_v7() unique,
        turn_id uuid not null references turn (id),
        n int not null,
        kind text not null check (kind in ('user', 'model', 'tool-call', 'tool-result', 'partial')),
        content json not null,
        tokens int not null default 0,
        created_at timestamptz not null default clock_timestamp(),
        primary key (turn_id, n)
      )`);
    await db.query(`
      create table attachment (
        id uuid primary key default uuid_v7(),
        space_id uuid not null,
        session_id uuid not null references session (id),
        mime text not null,
        bytes int not null,
        sha256 bytea not null,
        data bytea not null,
        created_at timestamptz not null default clock_timestamp()
      )`);
    await db.query('alter table attachment alter column data set storage external');
    await db.query('create index attachment_session on attachment (session_id)');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table attachment, turn_item, turn_segment, turn, session');
  }
}

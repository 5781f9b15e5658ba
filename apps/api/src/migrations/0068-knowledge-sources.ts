import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sources on the web whose pages are fetched again on a schedule. */
export class KnowledgeSources1763600000068 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    // A document that replaces another one is hidden until its text has been read.
    await db.query('alter table knowledge_document add column url text, add column replaces_id uuid');

    // Whoever sends a request to a host takes its row first, so that no two processes do so at the same time.
    await db.query(`
      create table knowledge_web_host (
        host text primary key,
        free_at timestamptz not null default clock_timestamp(),
        claims int not null default 0,
        claimed_by uuid,
        robots json,
        robots_at timestamptz
      )`);
    await db.query(
      'create index knowledge_web_host_claimed on knowledge_web_host (claimed_by) where claimed_by is not null',
    );
    await db.query(`
      create table knowledge_web_source (
        id uuid primary key default uuid_v7(),
        space_id uuid not null references space (id),
        kind text not null check (kind in ('url', 'sitemap')),
        url text not null,
        host text not null references knowledge_web_host (host),
        every_hours int check (every_hours > 0),
        enabled boolean not null default true,
        error text,
        due_at timestamptz(3),
        claimed_at timestamptz,
        fetches int not null default 0,
        is_fetching boolean not null default false,
        fetched_bytes bigint not null default 0,
        left_out int not null default 0,
        failures int not null default 0,
        removes_documents boolean not null default false,
        started_at timestamptz(3),
        finished_at timestamptz(3),
        created_by uuid not null,
        created_at timestamptz(3) not null default clock_timestamp(),
        updated_at timestamptz(3) not null default clock_timestamp(),
        deleted_at timestamptz(3)
      )`);
    await db.query(
      'create unique index knowledge_web_source_url on knowledge_web_source (space_id, url) where deleted_at is null',
    );
    await db.query(
      'create index knowledge_web_source_list on knowledge_web_source (space_id, id desc) where deleted_at is null',
    );
    await db.query(
      'create index knowledge_web_source_due on knowledge_web_source (due_at) where due_at is not null',
    );
    await db.query(
      'create index knowledge_web_source_turn on knowledge_web_source (space_id, due_at) where due_at is not null',
    );
    await db.query(
      'create index knowledge_web_source_served on knowledge_web_source (space_id, claimed_at) where claimed_at is not null',
    );
    await db.query('create index knowledge_web_source_host on knowledge_web_source (host)');

    await db.query(`
      create table knowledge_web_page (
        id uuid primary key default uuid_v7(),
        source_id uuid not null references knowledge_web_source (id),
        url text not null,
        depth int,
        status text not null default 'WAITING'
          check (status in ('WAITING', 'FETCHED', 'UNCHANGED', 'FAILED', 'SKIPPED')),
        reason text,
        listed_in int not null,
        tries int not null default 0,
        misses int not null default 0,
        document_id uuid,
        hash bytea,
        etag text,
        last_modified text,
        fetched_at timestamptz(3),
        unique (source_id, url)
      )`);
    await db.query('create index knowledge_web_page_list on knowledge_web_page (source_id, id)');
    await db.query(
      `create index knowledge_web_page_waiting on knowledge_web_page (source_id, depth, id) where status = 'WAITING'`,
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table knowledge_web_page, knowledge_web_source, knowledge_web_host');
    await db.query('alter table knowledge_document drop column url, drop column replaces_id');
  }
}

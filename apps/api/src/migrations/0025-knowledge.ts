import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Documents that agents can search, and the evidence of a turn as a step. */
export class Knowledge1763600000025 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table knowledge_document (
        id uuid primary key default uuid_v7(),
        space_id uuid not null references space (id),
        title text not null,
        file_name text,
        media_type text not null,
        bytes int not null,
        status text not null default 'PROCESSING' check (status in ('PROCESSING', 'READY', 'FAILED')),
        error text,
        chunks int not null default 0,
        attempts int not null default 0,
        lease_until timestamptz,
        created_by uuid not null,
        created_at timestamptz(3) not null default clock_timestamp(),
        updated_at timestamptz(3) not null default clock_timestamp(),
        deleted_at timestamptz(3),
        unique (space_id, id)
      )`);
    await db.query(
      'create index knowledge_document_list on knowledge_document (space_id, id desc) where deleted_at is null',
    );
    await db.query(
      `create index knowledge_document_queue on knowledge_document (lease_until nulls first)
       where status = 'PROCESSING' and deleted_at is null`,
    );

    // What was uploaded, until its text has been read.
    await db.query(`
      create table knowledge_source (
        document_id uuid primary key,
        space_id uuid not null,
        charset text,
        data bytea not null,
        foreign key (space_id, document_id) references knowledge_document (space_id, id) on delete cascade
      )`);
    await db.query('alter table knowledge_source alter column data set storage external');

    // Every term starts with a tag of its space, so that an index scan never meets the chunks of other spaces. There is no
    // index by space, because the planner would prefer it and then read every chunk of the space.
    await db.query(`
      create table knowledge_chunk (
        document_id uuid not null,
        n int not null,
        space_id uuid not null,
        heading text not null,
        text text not null,
        terms tsvector not null,
        primary key (document_id, n),
        foreign key (space_id, document_id) references knowledge_document (space_id, id) on delete cascade
      )`);
    // A list of pending entries would be read by every search.
    await db.query(
      'create index knowledge_chunk_terms on knowledge_chunk using gin (terms) with (fastupdate = off)',
    );

    await db.query('alter table turn_step drop constraint turn_item_kind_check');
    await db.query(`
      alter table turn_step add constraint turn_step_kind_check
        check (kind in ('user', 'evidence', 'model', 'tool-call', 'tool-result', 'partial')) not valid`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`delete from turn_step where kind = 'evidence'`);
    await db.query('alter table turn_step drop constraint turn_step_kind_check');
    await db.query(`
      alter table turn_step add constraint turn_item_kind_check
        check (kind in ('user', 'model', 'tool-call', 'tool-result', 'partial')) not valid`);
    await db.query('drop table knowledge_chunk, knowledge_source, knowledge_document');
  }
}

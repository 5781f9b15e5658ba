import type { MigrationInterface, QueryRunner } from 'typeorm';

const SOURCES = ['chat', 'execute', 'job', 'compaction', 'relay', 'task', 'grant'];

/** Vectors of passages, made by stored work, and what a space decides about its searches. */
export class Meaning1763600000066 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table model add column kind text not null default 'chat'
        check (kind in ('chat', 'embedding', 'rerank'))`);
    await db.query(`
      create table knowledge_settings (
        space_id uuid primary key references space (id),
        rerank_model text,
        rewrites_questions boolean not null default false
      )`);

    // The vectors of a space by one model: a version. At most one serves, and at most one is being built.
    await db.query(`
      create table knowledge_embedding (
        id uuid primary key default uuid_v7(),
        space_id uuid not null references space (id),
        model text not null,
        asked_dimensions int,
        dimensions int,
        status text not null default 'BUILDING' check (status in ('BUILDING', 'READY', 'RETIRED')),
        skipped int not null default 0,
        error text,
        failures int not null default 0,
        attempts int not null default 0,
        queued int not null default 0,
        due_at timestamptz(3),
        lease_until timestamptz,
        created_by uuid not null,
        created_at timestamptz(3) not null default clock_timestamp(),
        completed_at timestamptz(3)
      )`);
    for (const status of ['BUILDING', 'READY'])
      await db.query(
        `create unique index knowledge_embedding_${status.toLowerCase()} on knowledge_embedding (space_id)
         where status = '${status}'`,
      );
    await db.query(
      'create index knowledge_embedding_due on knowledge_embedding (due_at) where due_at is not null',
    );
    // The documents whose passages wait for their vectors.
    await db.query(`
      create table knowledge_embedding_work (
        embedding_id uuid not null references knowledge_embedding (id),
        document_id uuid not null,
        done_n int not null default 0,
        primary key (embedding_id, document_id)
      )`);
    // Every search reads all codes of a version, so they are in a table of their own.
    await db.query(`
      create table knowledge_code (
        embedding_id uuid not null,
        document_id uuid not null,
        n int not null,
        code bit varying not null,
        primary key (embedding_id, document_id, n)
      )`);
    await db.query(`
      create table knowledge_vector (
        embedding_id uuid not null,
        document_id uuid not null,
        n int not null,
        vector bytea not null,
        primary key (embedding_id, document_id, n)
      )`);
    await db.query('alter table knowledge_vector alter column vector set storage external');
    await this.allowSources(db, [...SOURCES, 'knowledge']);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`update usage_entry set source = 'relay' where source = 'knowledge'`);
    await this.allowSources(db, SOURCES);
    await db.query(
      'drop table knowledge_vector, knowledge_code, knowledge_embedding_work, knowledge_embedding, knowledge_settings',
    );
    await db.query('alter table model drop column kind');
  }

  private async allowSources(db: QueryRunner, sources: string[]): Promise<void> {
    await db.query(`
      alter table usage_entry drop constraint usage_entry_source_check,
        add constraint usage_entry_source_check check (source in (${sources.map((s) => `'${s}'`).join(', ')}))
        not valid`);
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Subscriptions that collect events. */
export class EventBatches1763600000086 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table subscription add column batch json');
    // The run is created when the batch starts. What the key was is not stored.
    await db.query(`
      create table event_batch (
        run_id uuid primary key,
        space_id uuid not null,
        subscription_id uuid not null,
        key_hash bytea not null,
        is_open boolean not null default true,
        event_count int not null default 0,
        bytes int not null default 0,
        due_at timestamptz not null
      ) with (fillfactor = 70)`);
    await db.query(
      'create unique index event_batch_open on event_batch (subscription_id, key_hash) where is_open',
    );
    await db.query('create index event_batch_due on event_batch (due_at)');
    await db.query(`
      create table batched_event (
        run_id uuid not null,
        envelope_id uuid not null,
        primary key (run_id, envelope_id)
      )`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table batched_event, event_batch');
    await db.query('alter table subscription drop column batch');
  }
}

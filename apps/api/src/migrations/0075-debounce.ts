import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Subscriptions that wait until their event has been quiet. */
export class Debounce1763600000075 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table subscription add column debounce json');
    // The run that the next event of a key takes over if it has not begun. What the key was is not stored.
    await db.query(`
      create table debounced_run (
        subscription_id uuid not null,
        key_hash bytea not null,
        run_id uuid not null,
        due_at timestamptz not null,
        primary key (subscription_id, key_hash)
      ) with (fillfactor = 70)`);
    await db.query('create index debounced_run_due on debounced_run (due_at)');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table debounced_run');
    await db.query('alter table subscription drop column debounce');
  }
}

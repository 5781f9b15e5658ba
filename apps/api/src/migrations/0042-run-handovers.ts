import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A run can be handed over to another process between two steps. The attempt that ends so keeps the workflow that it began. */
export class RunHandovers1763600000042 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table run add column handovers int not null default 0');
    await db.query('alter table run_attempt add column workflow json');
    await db.query('alter table run_attempt drop constraint run_attempt_status_check');
    // All rows satisfy it. Checking that would lock a large table for long.
    await db.query(`
      alter table run_attempt add constraint run_attempt_status_check check (
        status in ('RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED', 'INTERRUPTED', 'HANDED_OVER')) not valid`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`update run_attempt set status = 'INTERRUPTED' where status = 'HANDED_OVER'`);
    await db.query('alter table run_attempt drop constraint run_attempt_status_check');
    await db.query(`
      alter table run_attempt add constraint run_attempt_status_check check (
        status in ('RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED', 'INTERRUPTED'))`);
    await db.query('alter table run_attempt drop column workflow');
    await db.query('alter table run drop column handovers');
  }
}

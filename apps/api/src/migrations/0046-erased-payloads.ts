import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Payloads can be erased. What is erased is never dispatched or attempted again: not by a process of the previous version
 * either, which does not know of it. The constraints hold for new rows, so nothing is scanned: no existing row is erased.
 */
export class ErasedPayloads1763600000046 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table envelope add column erasure json');
    await db.query(`
      alter table envelope add constraint envelope_erased check (erasure is null or status <> 'PENDING') not valid`);
    await db.query('alter table run add column erased_at timestamptz(3)');
    await db.query(`
      alter table run add constraint run_erased
        check (erased_at is null or status not in ('QUEUED', 'RUNNING')) not valid`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table run drop column erased_at');
    await db.query('alter table envelope drop column erasure');
  }
}

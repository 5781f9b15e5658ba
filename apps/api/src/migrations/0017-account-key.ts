import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The owner of an account, a user or the space itself, is never null: it completes the primary key. */
export class AccountKey1763600000017 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table usage_account add primary key (space_id, owner_id)');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table usage_account drop constraint usage_account_pkey');
  }
}

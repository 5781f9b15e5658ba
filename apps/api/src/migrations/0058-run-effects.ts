import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What runs have changed, so that another attempt does not change it again. */
export class RunEffects1763600000058 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table run_effect (
        run_id uuid not null,
        key_hash bytea not null,
        result json not null,
        primary key (run_id, key_hash)
      )`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table run_effect');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The place of a replay in the chain of the run that requested it. */
export class ReplayChains1763600000057 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table envelope_replay add column depth int, add column path text[]');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table envelope_replay drop column depth, drop column path');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Entries about runs are kept as long as runs. No others are deleted, and there may be many of them before these. */
export class AuditOfRuns1763600000043 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`create index audit_entry_of_runs on audit_entry (id) where target_type = 'run'`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop index audit_entry_of_runs');
  }
}

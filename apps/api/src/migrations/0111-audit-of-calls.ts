import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Entries about calls of methods are kept as long as those about runs. */
export class AuditOfCalls1763600000111 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(
      `create index audit_entry_purged on audit_entry (id) where target_type = 'run' or action = 'tool.invoke'`,
    );
    await db.query('drop index audit_entry_of_runs');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`create index audit_entry_of_runs on audit_entry (id) where target_type = 'run'`);
    await db.query('drop index audit_entry_purged');
  }
}

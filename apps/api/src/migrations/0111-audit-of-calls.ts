import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Entries about calls of methods are kept as long as those about runs. */
export class AuditOfCalls1763600000111 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`create index audit_entry_of_calls on audit_entry (id) where action = 'tool.invoke'`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop index audit_entry_of_calls');
  }
}

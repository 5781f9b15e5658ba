import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Spaces take turns in having their documents read: within a space those whose worker has died come first, then the oldest. */
export class TurnsOfDocuments1763600000115 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    // `knowledge_document_queue` stays: it says which documents are being read, and serves the previous version.
    await db.query(
      `create index knowledge_document_turn on knowledge_document (space_id, lease_until, id)
       where status = 'PROCESSING' and deleted_at is null`,
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop index knowledge_document_turn');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which terms the passages of a document have, so that they can be made again, and how its text was encoded. */
export class KnowledgeTerms1763600000064 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    // The previous version stores documents without naming the version of their terms, which is 1.
    await db.query(`
      alter table knowledge_document
        add column terms_version int not null default 1,
        add column encoding text`);
    await db.query(
      `create index knowledge_document_terms on knowledge_document (terms_version, id)
       where status = 'READY' and deleted_at is null`,
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop index knowledge_document_terms');
    await db.query('alter table knowledge_document drop column terms_version, drop column encoding');
  }
}

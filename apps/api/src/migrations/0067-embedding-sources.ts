import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which model made the vectors of a version, and how many versions of a space are at work. */
export class EmbeddingSources1763600000067 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table knowledge_embedding add column upstream_model text');
    await db.query(
      'create index knowledge_embedding_leased on knowledge_embedding (space_id) where lease_until is not null',
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop index knowledge_embedding_leased');
    await db.query('alter table knowledge_embedding drop column upstream_model');
  }
}

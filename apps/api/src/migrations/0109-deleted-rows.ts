import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Removes the rows that were only marked as deleted, some with their values. Processes of the previous version still mark rows;
 * the next migration that may assume this version removes those, and drops `deleted_at` with the indexes that filter by it.
 */
export class DeletedRows1763600000109 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('delete from data_row where deleted_at is not null');
  }

  async down(): Promise<void> {
    // What was deleted stays deleted.
  }
}

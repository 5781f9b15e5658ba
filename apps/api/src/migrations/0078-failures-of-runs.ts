import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createPartitionedIndex } from './partitioned-index.ts';

/** The failures of a space that nobody has dismissed, newest first. */
export class FailuresOfRuns1763600000078 implements MigrationInterface {
  readonly transaction = false;

  async up(db: QueryRunner): Promise<void> {
    await createPartitionedIndex(
      db,
      'run_failures',
      'run',
      `(space_id, status, id desc) where status in ('FAILED', 'INTERRUPTED') and dismissed_at is null`,
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop index run_failures');
  }
}

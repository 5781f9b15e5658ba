import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createPartitionedIndex } from './partitioned-index.ts';

/** Finds the tests that repeat an event, which are erased with its payload. */
export class TestsWithEvents1763600000089 implements MigrationInterface {
  readonly transaction = false;

  async up(db: QueryRunner): Promise<void> {
    await createPartitionedIndex(
      db,
      'run_test_of_envelope',
      'run',
      `((test->>'envelopeId')) where test->>'envelopeId' is not null`,
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop index run_test_of_envelope');
  }
}

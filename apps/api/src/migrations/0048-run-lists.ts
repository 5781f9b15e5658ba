import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createPartitionedIndex } from './partitioned-index.ts';

/** What serves the lists of runs by event and by origin, and finds the envelopes of which a run has failed. */
export class RunLists1763600000048 implements MigrationInterface {
  readonly transaction = false;

  async up(db: QueryRunner): Promise<void> {
    // The event that started a run is the last of its path.
    await createPartitionedIndex(
      db,
      'run_of_event',
      'run',
      '(space_id, (path[cardinality(path)]), status, id desc) where envelope_id is not null',
    );
    await createPartitionedIndex(
      db,
      'run_of_origin',
      'run',
      `(space_id, origin, status, id desc) where origin <> 'EVENT'`,
    );
    await createPartitionedIndex(
      db,
      'run_failed_envelope',
      'run',
      `(space_id, envelope_id desc) where status in ('FAILED', 'INTERRUPTED') and envelope_id is not null`,
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop index run_of_event, run_of_origin, run_failed_envelope');
  }
}

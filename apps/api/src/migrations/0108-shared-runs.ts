import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createPartitionedIndex, execute } from './partitioned-index.ts';

const HAS_FAILED = (row: string) => `(${row}.status in ('FAILED', 'INTERRUPTED'))`;

/** Finds the deliveries of a run that several events share, and by their envelopes those of runs that have failed. */
export class SharedRuns1763600000108 implements MigrationInterface {
  readonly transaction = false;

  async up(db: QueryRunner): Promise<void> {
    await execute(db, 'alter table delivery add column if not exists failed_in uuid');
    await createPartitionedIndex(
      db,
      'delivery_shared',
      'delivery',
      `(run_id, envelope_id desc) where outcome = 'RUN_SHARED'`,
    );
    await createPartitionedIndex(
      db,
      'delivery_failed',
      'delivery',
      '(failed_in, envelope_id desc) where failed_in is not null',
    );
    // No statement that ends a run or retries it can forget the envelopes that the run does not name. Those of a burst can be any
    // number: the latest 1,000 are marked. The plan is kept, also one that was made while a partition was empty, and must not
    // prune partitions as it is executed (decision 20).
    await execute(
      db,
      `create or replace function mark_failed_deliveries() returns trigger language plpgsql set enable_seqscan = off
      set enable_partition_pruning = off as $$
      begin
        update delivery set failed_in = case when ${HAS_FAILED('new')} then new.space_id end
        where run_id = new.id and outcome = 'RUN_SHARED' and envelope_id >= coalesce((
          select envelope_id from delivery where run_id = new.id and outcome = 'RUN_SHARED'
          order by envelope_id desc offset 999 limit 1), '00000000-0000-0000-0000-000000000000');
        return null;
      end $$`,
    );
    await execute(
      db,
      `create or replace trigger mark_failed_deliveries after update of status on run for each row
      when (new.envelope_id is not null and ${HAS_FAILED('old')} <> ${HAS_FAILED('new')})
      execute function mark_failed_deliveries()`,
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop trigger mark_failed_deliveries on run');
    await db.query('drop function mark_failed_deliveries');
    await db.query('drop index delivery_shared, delivery_failed');
    await db.query('alter table delivery drop column failed_in');
  }
}

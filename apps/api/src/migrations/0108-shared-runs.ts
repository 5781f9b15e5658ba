import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createPartitionedIndex } from './partitioned-index.ts';

const HAS_FAILED = (row: string) => `(${row}.status in ('FAILED', 'INTERRUPTED'))`;

/** Finds the deliveries of a run that several events share, and by their envelopes those of runs that have failed. */
export class SharedRuns1763600000108 implements MigrationInterface {
  readonly transaction = false;

  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table delivery add column if not exists failed_in uuid');
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
    // A run names one of its envelopes. In its own statement, no way to end or to retry it can forget the others. Those of a burst
    // can be any number: the latest 10,000 are marked. The plan is kept, also one that was made while a partition was empty.
    await db.query(`
      create or replace function mark_failed_deliveries() returns trigger language plpgsql set enable_seqscan = off as $$
      begin
        update delivery set failed_in = case when ${HAS_FAILED('new')} then new.space_id end
        where run_id = new.id and outcome = 'RUN_SHARED' and envelope_id >= coalesce((
          select envelope_id from delivery where run_id = new.id and outcome = 'RUN_SHARED'
          order by envelope_id desc offset 9999 limit 1), '00000000-0000-0000-0000-000000000000');
        return null;
      end $$`);
    await db.query(`
      create or replace trigger mark_failed_deliveries after update of status on run for each row
      when (new.envelope_id is not null and ${HAS_FAILED('old')} <> ${HAS_FAILED('new')})
      execute function mark_failed_deliveries()`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop trigger mark_failed_deliveries on run');
    await db.query('drop function mark_failed_deliveries');
    await db.query('drop index delivery_shared, delivery_failed');
    await db.query('alter table delivery drop column failed_in');
  }
}

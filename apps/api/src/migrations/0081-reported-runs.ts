import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createPartitionedIndex } from './partitioned-index.ts';

/** Which attempt of a run was reported as failed. Null: the run ended before failures were reported. */
export class ReportedRuns1763600000081 implements MigrationInterface {
  readonly transaction = false;

  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table run add column if not exists reported_attempt int');
    await db.query('alter table run alter column reported_attempt set default 0');
    await db.query(
      'update run set reported_attempt = 0 where id in (select run_id from run_queue) and reported_attempt is null',
    );
    await createPartitionedIndex(
      db,
      'run_unreported',
      'run',
      `(id) where status in ('FAILED', 'INTERRUPTED') and reported_attempt < attempt`,
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop index run_unreported');
    await db.query('alter table run drop column reported_attempt');
  }
}

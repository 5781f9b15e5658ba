import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What becomes of a due time while an earlier run of the schedule has not ended. */
export class ScheduleOverlap1763600000074 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    // The previous version starts a run, or lets one stand for the time, which it stores as a run of its own.
    await db.query(`
      alter table scheduled_run
        add column outcome text not null default 'STARTED' check (outcome in ('STARTED', 'JOINED', 'SKIPPED')),
        add column waits_for uuid`);
    await db.query(
      'create index scheduled_run_waiting on scheduled_run (task_id, due_at) where waits_for is not null',
    );
    // Runs of these schedules were allowed to overlap.
    await db.query(`
      update task set schedule = (schedule::jsonb || '{"overlap": "allow"}')::json
      where schedule is not null and deleted_at is null`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`update run_queue set available_at = clock_timestamp()
      where run_id in (select run_id from scheduled_run where waits_for is not null)`);
    await db.query('drop index scheduled_run_waiting');
    await db.query('alter table scheduled_run drop column outcome, drop column waits_for');
    await db.query(`
      update task set schedule = (schedule::jsonb - 'overlap')::json where schedule is not null`);
  }
}

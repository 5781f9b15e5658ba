import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Runs of a disabled task wait. Those that people start while it is disabled do not, and are found by themselves. */
export class TaskSwitches1763600000044 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table run_queue add column despite_disabled boolean not null default false');
    await db.query(
      `create index run_queue_despite_disabled on run_queue (task_id, available_at, run_id)
       where state = 'READY' and despite_disabled`,
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table run_queue drop column despite_disabled');
  }
}

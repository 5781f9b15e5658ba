import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A batch starts the task for which its events were collected, also if its subscription leads to another one by then. */
export class TasksOfBatches1763600000117 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    // Null: a process of the previous version has collected them.
    await db.query('alter table event_batch add column task_id uuid');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table event_batch drop column task_id');
  }
}

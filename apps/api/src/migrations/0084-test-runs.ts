import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Runs that test a task, and what their steps did not execute. */
export class TestRuns1763600000084 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table run add column test json');
    await db.query('alter table run_step add column simulated json');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table run_step drop column simulated');
    await db.query('alter table run drop column test');
  }
}

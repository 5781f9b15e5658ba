import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which slot a running run occupies, so that its end need not look for it among the slots of its task. */
export class RunSlots1763600000031 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table run_queue add column slot int');
    await db.query(`
      update run_queue q set slot = s.n from run_slot s
      where q.state = 'RUNNING' and s.task_id = q.task_id and s.run_id = q.run_id`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table run_queue drop column slot');
  }
}

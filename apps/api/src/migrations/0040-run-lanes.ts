import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Runs that wait are found by space and owner, so that those of many cannot hide those of others. */
export class RunLanes1763600000040 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    // What a process of the version before queues has the same owner: it is claimed, in one lane per space.
    await db.query(
      `alter table run_queue add column owner_user_id uuid not null default '00000000-0000-0000-0000-000000000000'`,
    );
    await db.query(
      `create index run_queue_lane on run_queue (space_id, owner_user_id, task_id, available_at) where state = 'READY'`,
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table run_queue drop column owner_user_id');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What traces show of a step, and the lists of turns. */
export class Traces1763600000029 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table turn_step add column measures json');
    // The ids of turns sort by time. A list looks at a bounded number of turns, so that further filters need no index.
    await db.query('create index turn_of_user on turn (user_id, space_id, id desc)');
    await db.query('create index turn_of_space on turn (space_id, id desc)');
    await db.query(`
      create index turn_of_run on turn (causation_run_id, id desc) where causation_run_id is not null`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop index turn_of_run, turn_of_space, turn_of_user');
    await db.query('alter table turn_step drop column measures');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Jobs follow their turns in code (decision 17). The trigger remains for processes of the previous version, which do not
 * count their changes of a turn's status; the next migration that may assume this version drops it with its function and
 * the column.
 */
export class TurnObservers1763600000032 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table turn add column status_changes int not null default 0');
    await db.query('drop trigger agent_job_follow_turn on turn');
    await db.query(`
      create trigger agent_job_follow_turn after update of status on turn
      for each row when (old.status is distinct from new.status and old.status_changes = new.status_changes)
      execute function agent_job_follow_turn()`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop trigger agent_job_follow_turn on turn');
    await db.query(`
      create trigger agent_job_follow_turn after update of status on turn
      for each row when (old.status is distinct from new.status) execute function agent_job_follow_turn()`);
    await db.query('alter table turn drop column status_changes');
  }
}

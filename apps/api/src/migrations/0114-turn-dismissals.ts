import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Waiting turns that nobody can go on with are ended: those of deleted agents, and of people who have left the space. */
export class TurnDismissals1763600000114 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table turn_dismissal (
        id uuid primary key default uuid_v7(),
        space_id uuid not null,
        agent_id uuid,
        user_id uuid,
        created_at timestamptz not null default clock_timestamp(),
        due_at timestamptz not null default clock_timestamp(),
        check (num_nonnulls(agent_id, user_id) = 1)
      )`);
    await db.query('create index turn_dismissal_due on turn_dismissal (due_at)');
    await db.query(
      `create index turn_waiting_of_agent on turn (agent_id, id) where status = 'INPUT_REQUIRED'`,
    );
    await db.query(
      `create index turn_waiting_of_user on turn (user_id, space_id, id) where status = 'INPUT_REQUIRED'`,
    );
    // Those that wait already.
    await db.query(`
      insert into turn_dismissal (space_id, agent_id)
      select distinct t.space_id, t.agent_id from turn t join agent a on a.id = t.agent_id
      where t.status = 'INPUT_REQUIRED' and a.deleted_at is not null`);
    await db.query(`
      insert into turn_dismissal (space_id, user_id)
      select distinct t.space_id, t.user_id from turn t
        join membership m on m.space_id = t.space_id and m.user_id = t.user_id
      where t.status = 'INPUT_REQUIRED' and m.removed_at is not null`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop index turn_waiting_of_user');
    await db.query('drop index turn_waiting_of_agent');
    await db.query('drop table turn_dismissal');
  }
}

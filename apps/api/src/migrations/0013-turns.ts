import type { MigrationInterface, QueryRunner } from 'typeorm';

export class TurnBounds1763600000013 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    // The size of the content as it is read, so that a page can be cut without reading it; null: from before.
    await db.query('alter table turn_item add column bytes int');
    await db.query(`
      alter table turn
        -- The run whose step started the turn.
        add column causation_run_id uuid,
        -- What the ledger calls it.
        add column source text`);
    // Until when an execution without memory keeps what was said.
    await db.query('alter table session add column expires_at timestamptz');

    // Two statements: one that waited for the lock would count what was there before. Holds until the transaction ends.
    await db.query(`
      create function running_turns(asked_user uuid) returns int language plpgsql volatile as $$
      begin
        perform pg_advisory_xact_lock(720013, hashtext(asked_user::text));
        return (select count(*) from turn where user_id = asked_user and status = 'RUNNING');
      end $$`);
    await db.query(`create index turn_running_user on turn (user_id) where status = 'RUNNING'`);
    await db.query(`create index turn_queued on turn (session_id, n) where status = 'QUEUED'`);

    // The list of a user's sessions, without the hidden ones: they may be many more.
    await db.query(`
      create index session_listed on session (agent_id, user_id, last_turn_at desc, id desc)
        where deleted_at is null and not hidden`);
    await db.query('drop index session_recent');

    // What the sweeper removes.
    await db.query('create index session_expiry on session (expires_at) where expires_at is not null');
    await db.query('create index cancel_wish_expiry on cancel_wish (expires_at)');
    await db.query('create index local_tool_call_expiry on local_tool_call (expires_at)');
    await db.query('drop index interaction_expiry');
    await db.query(
      `create index interaction_expiry on interaction (expires_at, id) where status = 'PENDING'`,
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop index interaction_expiry');
    await db.query(`create index interaction_expiry on interaction (expires_at) where status = 'PENDING'`);
    await db.query('drop index local_tool_call_expiry, cancel_wish_expiry, session_expiry');
    await db.query('create index session_recent on session (agent_id, user_id, last_turn_at desc, id desc)');
    await db.query('drop index session_listed, turn_queued, turn_running_user');
    await db.query('drop function running_turns(uuid)');
    await db.query('alter table session drop column expires_at');
    await db.query('alter table turn drop column source, drop column causation_run_id');
    await db.query('alter table turn_item drop column bytes');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Interactions1763600000007 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table interaction (
        id uuid primary key default uuid_v7(),
        turn_id uuid not null references turn (id),
        call_id text not null,
        question json not null,
        status text not null check (status in ('PENDING', 'ANSWERED', 'DISMISSED', 'EXPIRED')),
        answer json,
        segment int,
        created_at timestamptz not null default clock_timestamp(),
        expires_at timestamptz not null,
        ended_at timestamptz,
        check ((status = 'ANSWERED') = (answer is not null and segment is not null))
      )`);
    // One question is pending per turn; the index settles the race.
    await db.query(
      `create unique index interaction_pending on interaction (turn_id) where status = 'PENDING'`,
    );
    await db.query(`create index interaction_expiry on interaction (expires_at) where status = 'PENDING'`);
    await db.query('create index interaction_turn on interaction (turn_id)');
    // A wish to cancel a turn that is not known yet; it wins should the turn start.
    await db.query(`
      create table cancel_wish (
        agent_id uuid not null,
        user_id uuid not null,
        client_turn_id text not null,
        expires_at timestamptz not null,
        primary key (agent_id, user_id, client_turn_id)
      )`);
    await db.query('create index cancel_wish_user on cancel_wish (user_id, expires_at)');
    await db.query(`
      create table local_tool_call (
        turn_id uuid not null references turn (id),
        call_id text not null,
        outcome json,
        expires_at timestamptz not null,
        primary key (turn_id, call_id)
      )`);
    // An execution without memory keeps its steps like any turn, in a session that no list shows.
    await db.query('alter table session add column hidden boolean not null default false');
    // The tokens that the running call keeps back, for whoever ends the turn.
    await db.query('alter table turn add column hold_id uuid');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table turn drop column hold_id');
    await db.query('alter table session drop column hidden');
    await db.query('drop table local_tool_call, cancel_wish, interaction');
  }
}

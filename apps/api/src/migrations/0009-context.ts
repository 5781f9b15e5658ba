import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Context1763600000009 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    // Steps of ended turns, many in a row: what a turn reads must not grow with its session. All of it can be made
    // again from turn_item. Text, not json: a page grows at its end, and its items are joined by commas.
    await db.query(`
      create table context_page (
        session_id uuid not null references session (id),
        from_turn int not null,
        to_turn int not null,
        items text not null,
        primary key (session_id, from_turn)
      )`);
    await db.query(`
      create table context_compaction (
        id uuid primary key default uuid_v7(),
        session_id uuid not null references session (id),
        trigger text not null check (trigger in ('manual', 'automatic')),
        status text not null check (status in ('RUNNING', 'READY', 'FAILED', 'UNDONE', 'ABANDONED')),
        summary json,
        summary_tokens int,
        mark_turn int not null,
        mark_item int not null,
        tokens_before int not null,
        tokens_after int,
        at_turn int not null,
        at_item int not null,
        at_tokens int,
        model text not null,
        prompt_tokens int not null default 0,
        completion_tokens int not null default 0,
        cost numeric(20, 9) not null default 0,
        estimated boolean not null default false,
        lease_until timestamptz not null,
        created_at timestamptz not null default clock_timestamp(),
        changed_at timestamptz,
        check (status not in ('READY', 'UNDONE')
          or (summary is not null and summary_tokens is not null and tokens_after is not null
            and at_tokens is not null and changed_at is not null))
      )`);
    await db.query('create index context_compaction_session on context_compaction (session_id, id)');
    // A start looks for turns that wait; without this it would look at every turn of the session.
    await db.query(`create index turn_waiting on turn (session_id) where status = 'INPUT_REQUIRED'`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop index turn_waiting');
    await db.query('drop table context_compaction, context_page');
  }
}

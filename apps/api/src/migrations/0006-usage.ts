import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who may use how many tokens, what was used, and what running calls hold. */
export class Usage1763600000006 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    // An account without a row has no grant; its balance is the sum of its entries all the same.
    await db.query(`
      create table usage_account (
        space_id uuid not null references space (id),
        user_id uuid,
        has_grant boolean not null default false,
        balance bigint not null,
        unique nulls not distinct (space_id, user_id),
        foreign key (space_id, user_id) references membership (space_id, user_id)
      )`);

    await db.query(`
      create table usage_entry (
        id uuid not null default uuid_v7(),
        space_id uuid not null,
        user_id uuid,
        kind text not null,
        tokens bigint not null,
        cost numeric(20, 9) not null default 0 check (cost >= 0),
        source text not null check (source in ('chat', 'execute', 'job', 'compaction', 'relay', 'grant')),
        agent_id uuid,
        turn_id text,
        model text,
        prompt_tokens int not null default 0 check (prompt_tokens >= 0),
        completion_tokens int not null default 0 check (completion_tokens >= 0),
        cached_tokens int not null default 0 check (cached_tokens >= 0),
        reasoning_tokens int not null default 0 check (reasoning_tokens >= 0),
        estimated boolean not null default false,
        note text,
        created_by uuid references platform_user (id),
        created_at timestamptz(3) not null default clock_timestamp(),
        primary key (space_id, id),
        foreign key (space_id, user_id) references membership (space_id, user_id),
        check (case kind
          when 'GRANT' then tokens > 0 and source = 'grant'
          when 'CHARGE' then tokens = -(prompt_tokens::bigint + completion_tokens) and source <> 'grant'
            and user_id is not null
          else false end)
      )`);
    await db.query(
      'create index usage_entry_user on usage_entry (space_id, user_id, id) include (kind, tokens)',
    );
    await db.query('create index usage_entry_time on usage_entry (space_id, created_at)');

    await db.query(`
      create table usage_hold (
        id uuid primary key default uuid_v7(),
        space_id uuid not null,
        user_id uuid not null,
        tokens bigint not null check (tokens >= 0),
        source text not null,
        reference text not null,
        settle_with json,
        lease_ms int not null check (lease_ms > 0),
        expires_at timestamptz(3) not null,
        created_at timestamptz(3) not null default clock_timestamp(),
        foreign key (space_id, user_id) references membership (space_id, user_id)
      )`);
    await db.query('create index usage_hold_account on usage_hold (space_id, user_id) include (tokens)');
    await db.query('create index usage_hold_end on usage_hold (expires_at)');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table usage_hold, usage_entry, usage_account');
  }
}

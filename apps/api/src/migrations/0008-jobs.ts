import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Jobs over turns, and the webhooks that tell of them. */
export class Jobs1763600000008 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    // Open: next_publish_at is set. hinted_end is the turn's finished_at that a worker was last told of.
    await db.query(`
      create table agent_job (
        id uuid primary key default uuid_v7(),
        space_id uuid not null,
        user_id uuid not null,
        agent_id uuid not null references agent (id),
        turn_id uuid not null unique references turn (id),
        form text not null check (form in ('chat', 'execute')),
        idempotency_key text,
        request_hash bytea not null,
        request_id text,
        webhook_url text,
        timeout_ms int not null,
        deadline timestamptz not null,
        progress int not null default 0 check (progress between 0 and 100),
        told text,
        claimed_again boolean not null default false,
        cancel_requested boolean not null default false,
        timed_out boolean not null default false,
        hints int not null default 0,
        hinted_end timestamptz,
        next_publish_at timestamptz,
        created_at timestamptz not null default clock_timestamp(),
        foreign key (space_id, user_id) references membership (space_id, user_id)
      )`);
    await db.query(
      `create unique index agent_job_key on agent_job (space_id, user_id, idempotency_key)
       where idempotency_key is not null`,
    );
    await db.query('create index agent_job_list on agent_job (space_id, user_id, id desc)');
    await db.query(
      'create index agent_job_open on agent_job (next_publish_at) where next_publish_at is not null',
    );
    await db.query(
      'create index agent_job_deadline on agent_job (deadline) where next_publish_at is not null',
    );

    await db.query(`
      create table webhook_secret (
        id uuid primary key default uuid_v7(),
        space_id uuid not null references space (id),
        sealed text not null,
        created_at timestamptz(3) not null default clock_timestamp(),
        expires_at timestamptz(3)
      )`);
    // The one that has no end; the one before it signs beside it for a while.
    await db.query(
      'create unique index webhook_secret_current on webhook_secret (space_id) where expires_at is null',
    );

    await db.query(`
      create table webhook_delivery (
        id uuid primary key default uuid_v7(),
        space_id uuid not null,
        job_id uuid not null references agent_job (id),
        segment int not null,
        type text not null,
        url text not null,
        body text not null,
        attempts int not null default 0,
        available_at timestamptz not null default clock_timestamp(),
        hints int not null default 0,
        next_publish_at timestamptz,
        delivered_at timestamptz,
        last_error text,
        created_at timestamptz not null default clock_timestamp(),
        unique (job_id, segment, type)
      )`);
    await db.query(
      'create index webhook_delivery_open on webhook_delivery (next_publish_at) where next_publish_at is not null',
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table webhook_delivery, webhook_secret, agent_job');
  }
}

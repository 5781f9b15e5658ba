import type { MigrationInterface, QueryRunner } from 'typeorm';

/** People, spaces, who belongs where, their credentials, and what admins did. */
export class Auth1763600000002 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table platform_user (
        id uuid primary key default uuid_v7(),
        email text not null,
        name text not null,
        password_hash text not null,
        password_changed_at timestamptz(3) not null default clock_timestamp(),
        created_at timestamptz(3) not null default clock_timestamp()
      )`);
    await db.query('create unique index platform_user_email_key on platform_user (lower(email))');

    await db.query(`
      create table space (
        id uuid primary key default uuid_v7(),
        name text not null,
        created_at timestamptz(3) not null default clock_timestamp()
      )`);

    await db.query(`
      create table membership (
        space_id uuid not null references space (id),
        user_id uuid not null references platform_user (id),
        role text not null check (role in ('MEMBER', 'ADMIN')),
        created_at timestamptz(3) not null default clock_timestamp(),
        removed_at timestamptz(3),
        primary key (space_id, user_id)
      )`);
    await db.query('create index membership_user on membership (user_id) where removed_at is null');

    await db.query(`
      create table api_key (
        id uuid primary key default uuid_v7(),
        space_id uuid not null,
        user_id uuid not null,
        name text not null,
        public_id text not null unique,
        secret_hash bytea not null,
        created_at timestamptz(3) not null default clock_timestamp(),
        expires_at timestamptz(3),
        last_used_at timestamptz(3),
        revoked_at timestamptz(3),
        foreign key (space_id, user_id) references membership (space_id, user_id)
      )`);
    await db.query(
      'create index api_key_list on api_key (space_id, user_id, id desc) where revoked_at is null',
    );

    await db.query(`
      create table refresh_session (
        id uuid primary key default uuid_v7(),
        space_id uuid not null,
        user_id uuid not null,
        token_hash bytea not null,
        previous_hash bytea,
        previous_valid_until timestamptz(3),
        refreshed_at timestamptz(3) not null default clock_timestamp(),
        expires_at timestamptz(3) not null default clock_timestamp() + interval '30 days',
        revoked_at timestamptz(3),
        foreign key (space_id, user_id) references membership (space_id, user_id)
      )`);
    await db.query('create index refresh_session_user on refresh_session (user_id, refreshed_at desc)');
    await db.query('create index refresh_session_end on refresh_session (least(expires_at, revoked_at))');

    await db.query(`
      create table audit_entry (
        id uuid primary key default uuid_v7(),
        space_id uuid not null references space (id),
        actor_user_id uuid references platform_user (id),
        action text not null,
        target_type text not null,
        target_id text,
        details json not null,
        request_id text,
        at timestamptz(3) not null default clock_timestamp()
      )`);
    await db.query('create index audit_entry_list on audit_entry (space_id, id desc)');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table audit_entry, refresh_session, api_key, membership, space, platform_user');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** On whose behalf tools are called: what one connects to, the connections, and the sign-ins that are under way. */
export class Connections1763600000093 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table connection_provider (
        id uuid primary key default uuid_v7(),
        space_id uuid not null references space (id),
        name text not null,
        kind text not null check (kind in ('oauth2', 'key', 'bearer', 'basic', 'header')),
        preset text,
        origins text[] not null,
        placement json,
        oauth json,
        client_secret text,
        test_url text,
        created_by uuid not null,
        created_at timestamptz(3) not null default clock_timestamp(),
        updated_at timestamptz(3) not null default clock_timestamp(),
        deleted_at timestamptz(3),
        unique (space_id, id)
      )`);
    await db.query(
      'create unique index connection_provider_name on connection_provider (space_id, lower(name)) where deleted_at is null',
    );

    await db.query(`
      create table connection (
        id uuid primary key default uuid_v7(),
        space_id uuid not null,
        provider_id uuid not null,
        owner_user_id uuid references platform_user (id),
        name text not null,
        kind text not null check (kind in ('oauth2-code', 'oauth2-client', 'key', 'bearer', 'basic', 'header')),
        origins text[] not null,
        scopes text[] not null,
        account text,
        username text,
        secret text,
        refresh_token text,
        expires_at timestamptz(3),
        renew_at timestamptz(3),
        status text not null check (status in ('ACTIVE', 'EXPIRED', 'REVOKED')),
        reason text,
        grant_number int not null default 1,
        generation int not null default 1,
        refused_generation int,
        refused_at timestamptz(3),
        fencing_token int not null default 0,
        lease_until timestamptz(3),
        unanswered int not null default 0,
        failures int not null default 0,
        retry_at timestamptz(3),
        revoke_at timestamptz(3),
        revoke_attempts int not null default 0,
        created_by uuid not null,
        created_at timestamptz(3) not null default clock_timestamp(),
        updated_at timestamptz(3) not null default clock_timestamp(),
        last_used_at timestamptz(3),
        foreign key (space_id, provider_id) references connection_provider (space_id, id)
      )`);
    // Each person has one connection of their own with a provider.
    await db.query(`
      create unique index connection_of_person on connection (provider_id, owner_user_id)
        where owner_user_id is not null and status <> 'REVOKED'`);
    await db.query(`
      create index connection_list on connection (space_id, owner_user_id, id desc) where status <> 'REVOKED'`);
    await db.query(
      `create index connection_by_provider on connection (provider_id) where status <> 'REVOKED'`,
    );
    await db.query('create index connection_revoking on connection (revoke_at) where revoke_at is not null');
    await db.query(`create index connection_revoked on connection (updated_at) where status = 'REVOKED'`);

    await db.query(`
      create table connection_sign_in (
        state_hash bytea primary key,
        browser_hash bytea not null,
        space_id uuid not null,
        provider_id uuid not null,
        client text not null,
        user_id uuid not null references platform_user (id),
        session_id uuid not null,
        connection_id uuid,
        owner text not null check (owner in ('me', 'space')),
        name text,
        verifier text not null,
        nonce text,
        return_path text not null,
        expires_at timestamptz(3) not null,
        foreign key (space_id, provider_id) references connection_provider (space_id, id)
      )`);
    await db.query('create index connection_sign_in_expiry on connection_sign_in (expires_at)');
    await db.query('create index connection_sign_in_person on connection_sign_in (space_id, user_id)');

    await db.query(`
      create table connection_use (
        connection_id uuid not null references connection (id) on delete cascade,
        tool_id uuid not null,
        first_used_at timestamptz(3) not null default clock_timestamp(),
        primary key (connection_id, tool_id)
      )`);
    // Which tools a revoked connection would stop.
    await db.query(`
      create index tool_connection on tool (space_id)
        where auth ->> 'type' = 'connection' and deleted_at is null`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop index tool_connection');
    await db.query('drop table connection_use, connection_sign_in, connection, connection_provider');
  }
}

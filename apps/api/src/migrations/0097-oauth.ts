import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Clients that people let use a space over MCP, and what each may do. */
export class OAuth1763600000097 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table oauth_client (
        id uuid primary key default uuid_v7(),
        client_id text not null unique,
        is_document boolean not null,
        name text not null,
        redirect_uris text[] not null,
        read_at timestamptz(3) not null default clock_timestamp()
      )`);
    await db.query('create index oauth_client_read on oauth_client (read_at)');

    await db.query(`
      create table oauth_grant (
        id uuid primary key,
        space_id uuid not null,
        user_id uuid not null,
        client_id uuid not null references oauth_client (id),
        scopes text[] not null,
        redirect_uri text not null,
        code_challenge text not null,
        code_hash bytea not null,
        exchanged_at timestamptz(3),
        token_hash bytea,
        previous_hash bytea,
        previous_valid_until timestamptz(3),
        created_at timestamptz(3) not null default clock_timestamp(),
        last_used_at timestamptz(3),
        expires_at timestamptz(3) not null,
        revoked_at timestamptz(3),
        foreign key (space_id, user_id) references membership (space_id, user_id)
      )`);
    await db.query(
      `create index oauth_grant_list on oauth_grant (space_id, id desc)
       where exchanged_at is not null and revoked_at is null`,
    );
    await db.query(
      'create index oauth_grant_own on oauth_grant (space_id, user_id, id desc) where revoked_at is null',
    );
    await db.query('create index oauth_grant_client on oauth_grant (client_id)');
    await db.query('create index oauth_grant_end on oauth_grant (least(expires_at, revoked_at))');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table oauth_grant, oauth_client');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * API keys have scopes, and system keys that an API key makes end with it. Keys that exist keep every scope that the role of
 * their owner allows, and processes of the previous version create keys with those of a member.
 */
export class KeyScopes1763600000054 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table api_key add column scopes text[] not null default '{invoke,use,manage}'`);
    await db.query(`
      update api_key k set scopes = '{invoke,use,manage,administer}' from membership m
      where m.space_id = k.space_id and m.user_id = k.user_id and m.role = 'ADMIN' and k.revoked_at is null`);
    await db.query('alter table system_key add column api_key_id uuid');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table system_key drop column api_key_id');
    await db.query('alter table api_key drop column scopes');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A run that is started with a key starts once. What a space offers over MCP includes its documents, if it chooses so. */
export class RunStartKeys1763600000099 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table run_start_key (
        task_id uuid not null,
        user_id uuid not null,
        key_hash bytea not null,
        inputs_hash bytea not null,
        run_id uuid not null unique,
        primary key (task_id, user_id, key_hash)
      )`);
    await db.query('alter table mcp_offers add column knowledge boolean not null default false');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table mcp_offers drop column knowledge');
    await db.query('drop table run_start_key');
  }
}

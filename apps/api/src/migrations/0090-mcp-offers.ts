import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a space offers to MCP clients. */
export class McpOffers1763600000090 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table mcp_offers (
        space_id uuid primary key references space (id),
        agents json not null,
        tasks json not null,
        tools json not null,
        updated_at timestamptz(3) not null
      )`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table mcp_offers');
  }
}

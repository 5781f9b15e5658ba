import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tools that are MCP servers, and what their servers have changed since an admin approved it. */
export class McpTools1763600000091 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table tool
        drop constraint tool_kind_check,
        add constraint tool_kind_check check (kind in ('http', 'mcp', 'speech', 'builtin')),
        add column checked_at timestamptz(3)`);
    await db.query('alter table tool_method add column approved text, add column pending json');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table tool_method drop column pending, drop column approved');
    await db.query(`
      alter table tool
        drop column checked_at,
        drop constraint tool_kind_check,
        add constraint tool_kind_check check (kind in ('http', 'speech', 'builtin'))`);
  }
}

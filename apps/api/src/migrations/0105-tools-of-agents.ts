import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Finds the agents that have a tool. The tools are read as text: the operators of JSON would refuse a row whose texts contain
 * \u0000. A quote within a text is escaped, so that only a key is followed by a colon.
 */
export class ToolsOfAgents1763600000105 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(String.raw`
      create function agent_tool_keys(space uuid, tools json) returns text[]
      language sql immutable strict parallel safe
      as $$ select array(
        select space || ':' || lower(found[1])
        from regexp_matches(tools::text, '"toolId"\s*:\s*"([A-Za-z0-9_-]+)"', 'g') as found) $$`);
    await db.query(
      'create index agent_tools on agent using gin (agent_tool_keys(space_id, tools)) where deleted_at is null',
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop index agent_tools');
    await db.query('drop function agent_tool_keys(uuid, json)');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What lists are sorted by. Statements must repeat it, or no index serves them. */
const NAME = 'lower(left(name, 100))';
/** Times of agents have microseconds, and cursors milliseconds. */
const AGENT_CHANGE = `date_bin('1 millisecond', updated_at, timestamptz 'epoch')`;

const IS_AGENT = 'deleted_at is null';
const IS_TASK = 'deleted_at is null and retired_at is null';

const INDEXES: [name: string, table: string, columns: string, condition: string][] = [
  ['agent_by_name', 'agent', `space_id, ${NAME}, id`, IS_AGENT],
  ['agent_by_change', 'agent', `space_id, ${AGENT_CHANGE}, id`, IS_AGENT],
  ['task_by_name', 'task', `space_id, ${NAME}, id`, IS_TASK],
  ['task_by_change', 'task', 'space_id, updated_at, id', IS_TASK],
  ['tool_by_name', 'tool', `space_id, ${NAME}, id`, 'deleted_at is null'],
  ['tool_by_change', 'tool', 'space_id, updated_at, id', 'deleted_at is null'],
  ['membership_by_time', 'membership', 'space_id, created_at, user_id', 'removed_at is null'],
];

/** The lists of agents, tasks, tools, and members can be sorted. */
export class SortedLists1763600000112 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    for (const [name, table, columns, condition] of INDEXES)
      await db.query(`create index ${name} on ${table} (${columns}) where ${condition}`);
  }

  async down(db: QueryRunner): Promise<void> {
    for (const [name] of INDEXES) await db.query(`drop index ${name}`);
  }
}

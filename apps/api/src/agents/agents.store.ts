import type { EntityManager } from 'typeorm';
import { missingOrForeign } from '../auth/resource-scope.ts';
import { firstRow, rows, type Sql } from '../infra/database/rows.ts';
import { notFound } from '../infra/http/app-error.ts';
import { isUuid } from '../infra/http/ids.ts';
import { accessibleSql } from './agent-access.ts';
import type { AgentDefinition } from './agent-definition.ts';
import { AGENT_COLUMNS, definitionOf, type AgentRow } from './agent-row.ts';

export interface VersionRow {
  id: string;
  version: number;
  snapshot: AgentDefinition;
  authorUserId: string;
  createdAt: Date;
}

const VERSION_COLUMNS = 'id, version, snapshot, author_user_id as "authorUserId", created_at as "createdAt"';

export interface AgentFilter {
  spaceId: string;
  /** Who asks: decides what is accessible. */
  userId: string;
  accessibleOnly: boolean;
}

/** The agents of a space below an id, newest first. */
export function listAgents(
  sql: Sql,
  { spaceId, userId, accessibleOnly }: AgentFilter,
  below: string | null,
  count: number,
): Promise<AgentRow[]> {
  return rows<AgentRow>(
    sql,
    `select ${AGENT_COLUMNS} from agent a
     where a.space_id = $1 and a.deleted_at is null and ($2::uuid is null or a.id < $2)
       and (not $3 or ${accessibleSql('a', '$4')})
     order by a.id desc limit $5`,
    [spaceId, below, accessibleOnly, userId, count],
  );
}

/** Those of the ids that are agents of the space which the user may invoke. */
export async function accessibleAmong(
  sql: Sql,
  { spaceId, userId }: { spaceId: string; userId: string },
  ids: readonly string[],
): Promise<string[]> {
  const found = await rows<{ id: string }>(
    sql,
    `select a.id from agent a
     where a.id = any($1::uuid[]) and a.space_id = $2 and a.deleted_at is null and ${accessibleSql('a', '$3')}`,
    [ids, spaceId, userId],
  );
  return found.map(({ id }) => id);
}

/** Throws NOT_FOUND, or FORBIDDEN for an agent of another space. */
export async function findAgent(sql: Sql, spaceId: string, id: string, lock = ''): Promise<AgentRow> {
  const row = isUuid(id)
    ? await firstRow<AgentRow>(
        sql,
        `select ${AGENT_COLUMNS} from agent a where a.space_id = $1 and a.id = $2 and a.deleted_at is null ${lock}`,
        [spaceId, id],
      )
    : null;
  if (row === null) throw await missingOrForeign(sql, 'agent', id, `Agent ${id}`);
  return row;
}

/** As `findAgent`; nobody else changes the row until the transaction ends. */
export function lockAgent(tx: EntityManager, spaceId: string, id: string): Promise<AgentRow> {
  return findAgent(tx, spaceId, id, 'for update');
}

/** Version 1 of a new agent. */
export async function insertAgent(
  tx: EntityManager,
  spaceId: string,
  ownerUserId: string,
  definition: AgentDefinition,
): Promise<AgentRow> {
  const row = await firstRow<AgentRow>(
    tx,
    `insert into agent as a (space_id, owner_user_id, version, name, description, model, system_prompt,
       access_scope, allowed_user_ids, variables, tools, local_tools, knowledge, settings, ask_user)
     values ($1, $2, 1, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
     returning ${AGENT_COLUMNS}`,
    [spaceId, ownerUserId, ...valuesOf(definition)],
  );
  return recorded(tx, row, ownerUserId);
}

/** The next version of an agent that the transaction has locked. */
export async function updateAgent(
  tx: EntityManager,
  { spaceId, id }: AgentRow,
  authorUserId: string,
  definition: AgentDefinition,
): Promise<AgentRow> {
  const row = await firstRow<AgentRow>(
    tx,
    `update agent a set version = a.version + 1, updated_at = clock_timestamp(), name = $3, description = $4,
       model = $5, system_prompt = $6, access_scope = $7, allowed_user_ids = $8, variables = $9, tools = $10,
       local_tools = $11, knowledge = $12, settings = $13, ask_user = $14
     where a.space_id = $1 and a.id = $2
     returning ${AGENT_COLUMNS}`,
    [spaceId, id, ...valuesOf(definition)],
  );
  return recorded(tx, row, authorUserId);
}

export async function deleteAgent(tx: EntityManager, { spaceId, id }: AgentRow): Promise<void> {
  await tx.query('update agent set deleted_at = clock_timestamp() where space_id = $1 and id = $2', [
    spaceId,
    id,
  ]);
}

/** The versions of an agent below an id, newest first. */
export function listVersions(
  sql: Sql,
  { spaceId, id }: AgentRow,
  below: string | null,
  count: number,
): Promise<VersionRow[]> {
  return rows<VersionRow>(
    sql,
    `select ${VERSION_COLUMNS} from agent_version
     where space_id = $1 and agent_id = $2 and ($3::uuid is null or id < $3)
     order by id desc limit $4`,
    [spaceId, id, below, count],
  );
}

/** Throws NOT_FOUND, also for a number that is none. */
export async function findVersion(sql: Sql, { spaceId, id }: AgentRow, version: string): Promise<VersionRow> {
  const row = /^[1-9]\d{0,8}$/.test(version)
    ? await firstRow<VersionRow>(
        sql,
        `select ${VERSION_COLUMNS} from agent_version where space_id = $1 and agent_id = $2 and version = $3`,
        [spaceId, id, Number(version)],
      )
    : null;
  if (row === null) throw notFound(`Agent ${id} has no version ${version}`);
  return row;
}

async function recorded(tx: EntityManager, row: AgentRow | null, authorUserId: string): Promise<AgentRow> {
  if (row === null) throw new Error('The agent was not written');
  await tx.query(
    `insert into agent_version (space_id, agent_id, version, snapshot, author_user_id, created_at)
     values ($1, $2, $3, $4, $5, $6)`,
    [row.spaceId, row.id, row.version, JSON.stringify(definitionOf(row)), authorUserId, row.updatedAt],
  );
  return row;
}

function valuesOf(definition: AgentDefinition): unknown[] {
  return [
    definition.name,
    definition.description,
    definition.model,
    definition.systemPrompt,
    definition.accessScope,
    definition.allowedUserIds,
    JSON.stringify(definition.variables),
    JSON.stringify(definition.tools),
    JSON.stringify(definition.localTools),
    JSON.stringify(definition.knowledge),
    JSON.stringify(definition.settings),
    definition.askUser,
  ];
}

import { In, IsNull, LessThan, type EntityManager, type SelectQueryBuilder } from 'typeorm';
import { missingOrForeign, requireUuid } from '../auth/principals/resource-scope.ts';
import type { Database } from '../infra/database/database.ts';
import { insertRow, preparedEntities, updateRow } from '../infra/database/entity-rows.ts';
import { rows, type Sql } from '../infra/database/rows.ts';
import { notFound } from '../infra/errors/app-error.ts';
import {
  byName,
  byTime,
  loadFitting,
  selectPart,
  type Listed,
  type ListPart,
  type NamedList,
} from '../infra/requests/named-lists.ts';
import { MOST_FOUND } from '../search/search.registry.ts';
import { AgentEntity, type AgentDefinition } from './agent.entity.ts';
import { AgentVersionEntity } from './agent-version.entity.ts';

export interface AgentFilter {
  spaceId: string;
  /** The user who may invoke the agents; null: all agents. */
  accessibleTo: string | null;
  /** Null: whoever owns them. */
  ownerUserId: string | null;
  /** Null: with any tools. */
  toolId: string | null;
  /** The owner of the agents of which the caller may know tools and changes; null: of all. */
  managedBy: string | null;
}

/** A definition can have a megabyte. */
const BYTES = `octet_length(agent.system_prompt) + octet_length(agent.variables::text) + octet_length(agent.tools::text)
  + octet_length(agent.local_tools::text) + octet_length(array_to_string(agent.allowed_user_ids, ','))`;

/** `agent-access.ts` as SQL. */
const IS_ACCESSIBLE = "(agent.access_scope = 'SPACE' or :userId = any(agent.allowed_user_ids))";

/** As in the index `agent_tools`, whose terms begin with the space. */
const HAS_TOOL = 'agent_tool_keys(agent.space_id, agent.tools) @> array[:toolKey]';

/** As in the index `agent_by_change`: the times of agents have microseconds. */
const inMilliseconds = (time: string) => `date_bin('1 millisecond', ${time}, timestamptz 'epoch')`;
const CHANGED = inMilliseconds('agent.updated_at');
const CREATED = inMilliseconds('agent.created_at');

/** How agents are searched and sorted. When agents of others were changed must not show in the order either. */
export function agentList(managedBy: string | null): NamedList<AgentEntity> {
  const isKnown = ({ ownerUserId }: AgentEntity) => managedBy === null || ownerUserId === managedBy;
  return {
    id: 'agent.id',
    idOf: ({ id }) => id,
    text: `agent.name || ' ' || agent.description`,
    keys: {
      name: byName('agent.name', ({ definition }) => definition.name),
      updatedAt: byTime(
        managedBy === null
          ? CHANGED
          : `case when agent.owner_user_id = :managedBy then ${CHANGED} else ${CREATED} end`,
        (agent) => (isKnown(agent) ? agent.updatedAt : agent.createdAt).toISOString(),
      ),
    },
  };
}

/** Returns a part of the list: fewer agents than it may have if they are large. */
export async function listAgents(
  tx: EntityManager,
  { spaceId, accessibleTo, ownerUserId, toolId, managedBy }: AgentFilter,
  part: ListPart,
): Promise<Listed<AgentEntity>> {
  const query = tx
    .createQueryBuilder(AgentEntity, 'agent')
    .where({ spaceId, deletedAt: IsNull() })
    .setParameters({ managedBy });
  if (accessibleTo !== null) query.andWhere(IS_ACCESSIBLE, { userId: accessibleTo });
  if (ownerUserId !== null) query.andWhere({ ownerUserId });
  if (toolId !== null) {
    query.andWhere(HAS_TOOL, { toolKey: `${spaceId}:${toolId.toLowerCase()}` });
    if (managedBy !== null) query.andWhere({ ownerUserId: managedBy });
  }
  const selected = selectPart(query, agentList(managedBy), part);
  return loadFitting(tx, AgentEntity, selected, { bytes: BYTES, limit: part.limit });
}

/** Lists the names of the agents that a person owns. */
export async function listOwnedAgents(
  tx: EntityManager,
  spaceId: string,
  ownerUserId: string,
  limit: number,
): Promise<string[]> {
  const agents = await tx.find(AgentEntity, {
    select: { id: true, definition: { name: true } },
    where: { spaceId, ownerUserId, deletedAt: IsNull() },
    order: { id: 'ASC' },
    take: limit,
  });
  return agents.map(({ definition: { name } }) => name);
}

/** Finds agents by words or by id that the user may invoke or manage, in no order. */
export function findAgents(
  sql: Sql,
  user: { spaceId: string; userId: string; isAdmin: boolean },
  { text = null, id = null }: { text?: string | null; id?: string | null },
): Promise<{ id: string; name: string; description: string }[]> {
  const sought =
    id === null
      ? `search_terms(space_id, name || ' ' || description) @@ search_query($1, $4)`
      : 'id = $4::uuid';
  return rows(
    sql,
    `select id, name, description from agent
     where space_id = $1 and deleted_at is null and ${sought}
       and (access_scope = 'SPACE' or $2::text = any(allowed_user_ids) or owner_user_id = $2::uuid or $3)
     limit ${MOST_FOUND}`,
    [user.spaceId, user.userId, user.isAdmin, id ?? text],
  );
}

/** Returns which of the ids are agents of the space that the user may invoke. */
export async function accessibleAmong(
  tx: EntityManager,
  user: { spaceId: string; userId: string },
  ids: readonly string[],
): Promise<string[]> {
  const agents = await accessible(tx, user, ids).select('agent.id').getMany();
  return agents.map(({ id }) => id);
}

export function listNames(
  tx: EntityManager,
  spaceId: string,
  ids: readonly string[],
): Promise<AgentEntity[]> {
  return tx.find(AgentEntity, {
    select: { id: true, definition: { name: true } },
    where: { id: In(ids), spaceId, deletedAt: IsNull() },
  });
}

/** Returns the agents of the space among the ids that the user may invoke. */
export function listAccessible(
  tx: EntityManager,
  user: { spaceId: string; userId: string },
  ids: readonly string[],
): Promise<AgentEntity[]> {
  return accessible(tx, user, ids).getMany();
}

function accessible(
  tx: EntityManager,
  { spaceId, userId }: { spaceId: string; userId: string },
  ids: readonly string[],
): SelectQueryBuilder<AgentEntity> {
  return tx
    .createQueryBuilder(AgentEntity, 'agent')
    .where({ id: In(ids), spaceId, deletedAt: IsNull() })
    .andWhere(IS_ACCESSIBLE, { userId });
}

/** Throws NOT_FOUND, or FORBIDDEN for an agent of another space. Every call of an agent reads it. */
export async function getAgent(database: Database, spaceId: string, id: string): Promise<AgentEntity> {
  const [agent] = await preparedEntities(
    database,
    AgentEntity,
    'agents.get',
    (columns) => `select ${columns} from agent where space_id = $1 and id = $2 and deleted_at is null`,
    [spaceId, requireUuid(id, `Agent ${id}`)],
  );
  return agent ?? (await refuseAgent(database.manager, id));
}

/** As `getAgent`, and locks the row until the transaction ends. */
export async function lockAgent(tx: EntityManager, spaceId: string, id: string): Promise<AgentEntity> {
  const agent = await tx.findOne(AgentEntity, {
    where: { spaceId, id: requireUuid(id, `Agent ${id}`), deletedAt: IsNull() },
    lock: { mode: 'pessimistic_write' },
  });
  return agent ?? (await refuseAgent(tx, id));
}

async function refuseAgent(tx: EntityManager, id: string): Promise<never> {
  throw await missingOrForeign(tx, AgentEntity, { id, deletedAt: IsNull() }, `Agent ${id}`);
}

/** Inserts version 1 of a new agent. */
export async function insertAgent(
  tx: EntityManager,
  spaceId: string,
  ownerUserId: string,
  definition: AgentDefinition,
): Promise<AgentEntity> {
  const agent = await insertRow(tx, AgentEntity, { spaceId, ownerUserId, definition, version: 1 });
  await insertVersion(tx, agent, ownerUserId);
  return agent;
}

/** Makes the next version of an agent that the transaction has locked. */
export async function updateAgent(
  tx: EntityManager,
  { spaceId, id, version }: AgentEntity,
  authorUserId: string,
  definition: AgentDefinition,
): Promise<AgentEntity> {
  const next = { definition, version: version + 1, updatedAt: () => 'clock_timestamp()' };
  const agent = await updateRow(tx, AgentEntity, { spaceId, id }, next);
  await insertVersion(tx, agent, authorUserId);
  return agent;
}

export async function deleteAgent(tx: EntityManager, { spaceId, id }: AgentEntity): Promise<void> {
  await tx.update(AgentEntity, { spaceId, id }, { deletedAt: () => 'clock_timestamp()' });
}

/** The versions of an agent with ids below `before`, newest first: fewer than `limit` if they are large. */
export async function listVersions(
  tx: EntityManager,
  { spaceId, id }: AgentEntity,
  before: string | null,
  limit: number,
): Promise<Listed<AgentVersionEntity>> {
  const query = tx
    .createQueryBuilder(AgentVersionEntity, 'version')
    .where({ spaceId, agentId: id, ...(before !== null && { id: LessThan(before) }) })
    .orderBy('version.id', 'DESC')
    .limit(limit + 1);
  return loadFitting(tx, AgentVersionEntity, query, { bytes: 'octet_length(version.snapshot::text)', limit });
}

/** Throws NOT_FOUND, also if `version` is not a number. */
export async function getVersion(
  tx: EntityManager,
  { spaceId, id }: AgentEntity,
  version: string,
): Promise<AgentVersionEntity> {
  const found = /^[1-9]\d{0,8}$/.test(version)
    ? await tx.findOneBy(AgentVersionEntity, { spaceId, agentId: id, version: Number(version) })
    : null;
  if (found === null) throw notFound(`Agent ${id} has no version ${version}`);
  return found;
}

async function insertVersion(tx: EntityManager, agent: AgentEntity, authorUserId: string): Promise<void> {
  await insertRow(tx, AgentVersionEntity, {
    spaceId: agent.spaceId,
    agentId: agent.id,
    version: agent.version,
    snapshot: agent.definition,
    authorUserId,
    createdAt: agent.updatedAt,
  });
}

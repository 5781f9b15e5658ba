import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type {
  AgentVariable,
  AuditAction,
  Agent,
  AgentAccess,
  AgentListing,
  AgentTool,
  AgentVersion,
  CreateAgentRequest,
  Page,
  UpdateAgentRequest,
} from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { recordAudit } from '../auth/audit/audit.ts';
import type { AuditedCall } from '../auth/principals/caller.decorator.ts';
import { IdentityService } from '../auth/people/identity.service.ts';
import type { UserPrincipal } from '../auth/principals/principal.ts';
import { Database } from '../infra/database/database.ts';
import { conflict, forbidden, invalidFor } from '../infra/errors/app-error.ts';
import type { PageDto } from '../infra/requests/page.dto.ts';
import { Cursors } from '../infra/requests/cursors.ts';
import { positionIn, readPart } from '../infra/requests/named-lists.ts';
import { CatalogService } from '../models/catalog/catalog.service.ts';
import { ToolDirectoryService } from '../tools/definition/tool-directory.service.ts';
import { explainAccess } from './access-report.ts';
import { decideAccess } from './agent-access.ts';
import { changeDefinition, definitionOf, newDefinition, promptProblems } from './agent-definition.ts';
import { toAgent, toListing, toVersion, type ToolStatusOf } from './agent-responses.ts';
import type { AgentDefinition, AgentEntity } from './agent.entity.ts';
import type { AgentQueryDto } from './agents.dto.ts';
import {
  accessibleAmong,
  agentList,
  listAccessible,
  listNames,
  deleteAgent,
  getAgent,
  getVersion,
  insertAgent,
  listAgents,
  listVersions,
  lockAgent,
  updateAgent,
} from './agents.store.ts';
import { mayManage, toInvocableAgent, type InvocableAgent } from './invocable-agent.ts';

/** What callers see of an agent. */
export interface AgentFacts {
  id: string;
  name: string;
  description: string;
  /** Those of the prompt, with their declarations. */
  variables: AgentVariable[];
}

type EndOfAgent = (tx: EntityManager, agent: { spaceId: string; id: string }) => Promise<void>;

/** Manages agents, and is the only way to invoke one. */
@Injectable()
export class AgentsService {
  private readonly endings: EndOfAgent[] = [];

  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly identity: IdentityService,
    private readonly catalog: CatalogService,
    private readonly tools: ToolDirectoryService,
  ) {}

  /** Registers what ends with an agent, in the transaction that deletes it. */
  onDelete(end: EndOfAgent): void {
    this.endings.push(end);
  }

  /** Returns what a turn needs to know about an agent. Throws NOT_FOUND, or FORBIDDEN if the access rule refuses. */
  async getInvocable(
    { spaceId, userId }: Pick<UserPrincipal, 'spaceId' | 'userId'>,
    agentId: string,
  ): Promise<InvocableAgent> {
    const agent = await getAgent(this.database, spaceId, agentId);
    const { allowed, reason } = decideAccess(agent.definition, userId);
    if (!allowed) throw forbidden(reason);
    return toInvocableAgent(agent);
  }

  /** Returns which of the ids are agents of the space that the user may invoke. */
  accessibleAmong(user: { spaceId: string; userId: string }, ids: readonly string[]): Promise<string[]> {
    return accessibleAmong(this.database.manager, user, ids);
  }

  /** Returns the names of agents of a space by id; ids that the space does not have are omitted. */
  async listNames(tx: EntityManager, spaceId: string, ids: readonly string[]): Promise<Map<string, string>> {
    const found = ids.length === 0 ? [] : await listNames(tx, spaceId, ids);
    return new Map(found.map(({ id, definition }) => [id, definition.name]));
  }

  /** Returns those of the agents that the user may invoke, in no order. */
  async listInvocable(
    user: { spaceId: string; userId: string },
    ids: readonly string[],
  ): Promise<AgentFacts[]> {
    const agents = ids.length === 0 ? [] : await listAccessible(this.database.manager, user, ids);
    return agents.map((agent) => {
      const { id, name, variables } = toInvocableAgent(agent);
      return { id, name, description: agent.definition.description, variables };
    });
  }

  async list(caller: UserPrincipal, query: AgentQueryDto): Promise<Page<Agent | AgentListing>> {
    const { userId, spaceId } = caller;
    const accessibleOnly = query.accessibleOnly === 'true';
    const ownerUserId = query.ownedOnly === 'true' ? userId : null;
    const { toolId = null } = query;
    const managedBy = caller.role === 'ADMIN' ? null : userId;
    const filter = {
      agentsOf: spaceId,
      accessibleOnly,
      ...(ownerUserId !== null && { ownedBy: ownerUserId }),
      ...(toolId !== null && { toolId, ownerUserId: managedBy }),
    };
    const part = readPart(query, filter, this.cursors);
    const { rows, size } = await listAgents(
      this.database.manager,
      { spaceId, accessibleTo: accessibleOnly ? userId : null, ownerUserId, toolId, managedBy },
      part,
    );
    const managed = rows.slice(0, size).filter((agent) => mayManage(caller, agent));
    const statusOf = await this.modelStatuses(spaceId, managed);
    const toolStatus = await this.toolStatuses(
      spaceId,
      managed.flatMap(({ definition }) => definition.tools),
    );
    const list = agentList(managedBy);
    return this.cursors.page(
      rows,
      size,
      part.filter,
      (agent) => positionIn(list, part, agent),
      (agent) =>
        mayManage(caller, agent)
          ? toAgent(agent, userId, statusOf(agent), toolStatus)
          : toListing(agent, userId),
    );
  }

  async create(caller: UserPrincipal, request: CreateAgentRequest): Promise<Agent> {
    const definition = newDefinition(request);
    assertNone(promptProblems(definition));
    const agent = await this.database.transaction(async (tx) => {
      await this.assertOffer(tx, caller.spaceId, definition);
      return insertAgent(tx, caller.spaceId, caller.userId, definition);
    });
    return this.toAgent(caller, agent);
  }

  async get(caller: UserPrincipal, id: string): Promise<Agent | AgentListing> {
    const agent = await getAgent(this.database, caller.spaceId, id);
    return mayManage(caller, agent) ? this.toAgent(caller, agent) : toListing(agent, caller.userId);
  }

  /** A change that changes nothing makes no version. */
  async update(call: AuditedCall, id: string, change: UpdateAgentRequest): Promise<Agent> {
    const agent = await this.database.transaction(async (tx) => {
      const current = await lockManaged(tx, call.by, id);
      const { version } = change;
      if (typeof version === 'number' && version !== current.version) {
        throw conflict(
          `Agent ${id} is at version ${current.version}, the change was made to version ${version}`,
        );
      }
      const definition = changeDefinition(current.definition, change);
      assertNone(promptProblems(definition));
      if (isDeepStrictEqual(definition, current.definition)) return current;
      await this.assertOffer(tx, current.spaceId, definition);
      await auditForeign(tx, call, 'agent.update', current, { fields: Object.keys(change) });
      return updateAgent(tx, current, call.by.userId, definition);
    });
    return this.toAgent(call.by, agent);
  }

  async delete(call: AuditedCall, id: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      const agent = await lockManaged(tx, call.by, id);
      await deleteAgent(tx, agent);
      for (const end of this.endings) await end(tx, agent);
      await auditForeign(tx, call, 'agent.delete', agent);
    });
  }

  async listVersions(caller: UserPrincipal, id: string, query: PageDto): Promise<Page<AgentVersion>> {
    const agent = assertManaged(caller, await getAgent(this.database, caller.spaceId, id));
    const filter = { versionsOf: agent.id };
    const before = this.cursors.idAfter(query.cursor, filter);
    const { rows, size } = await listVersions(this.database.manager, agent, before, query.limit);
    const versions = rows.slice(0, size);
    const toolStatus = await this.toolStatuses(
      agent.spaceId,
      versions.flatMap(({ snapshot }) => definitionOf(snapshot).tools),
    );
    const authors = await this.identity.findUsersByIds(versions.map(({ authorUserId }) => authorUserId));
    return this.cursors.page(
      rows,
      size,
      filter,
      (version) => [version.id],
      (version) => toVersion(agent, version, authors.get(version.authorUserId), toolStatus),
    );
  }

  /** Makes a new version with the definition of an old one. */
  async restore(call: AuditedCall, id: string, version: string): Promise<Agent> {
    const agent = await this.database.transaction(async (tx) => {
      const current = await lockManaged(tx, call.by, id);
      const { snapshot } = await getVersion(tx, current, version);
      const definition = definitionOf(snapshot);
      await this.assertOffer(tx, current.spaceId, definition);
      await auditForeign(tx, call, 'agent.restore', current, { version: Number(version) });
      return updateAgent(tx, current, call.by.userId, definition);
    });
    return this.toAgent(call.by, agent);
  }

  /** Explains who may invoke an agent, and by which rule; with `userId`, the case of that user. */
  async explainAccess(caller: UserPrincipal, id: string, userId?: string): Promise<AgentAccess> {
    const agent = assertManaged(caller, await getAgent(this.database, caller.spaceId, id));
    const members = await this.identity.listMembers(caller.spaceId);
    return explainAccess({ id: agent.id, ...agent.definition }, members, userId);
  }

  private async toAgent(caller: UserPrincipal, agent: AgentEntity): Promise<Agent> {
    const statusOf = await this.modelStatuses(agent.spaceId, [agent]);
    const toolStatus = await this.toolStatuses(agent.spaceId, agent.definition.tools);
    return toAgent(agent, caller.userId, statusOf(agent), toolStatus);
  }

  /** Tools of several agents are checked together, each different list of methods once. */
  private async toolStatuses(spaceId: string, tools: AgentTool[]): Promise<ToolStatusOf> {
    const key = ({ toolId, methods }: AgentTool) => JSON.stringify([toolId, methods]);
    const different = new Map(tools.map((tool) => [key(tool), tool]));
    const missing = await this.tools.findMissing(this.database, spaceId, [...different.values()]);
    const statuses = new Map([...different.keys()].map((each, i) => [each, missing[i] === null]));
    return (tool) => (statuses.get(key(tool)) === true ? 'ready' : 'unknown');
  }

  /** Throws VALIDATION_ERROR if a model could not be offered all tools of the agent. */
  private async assertOffer(tx: EntityManager, spaceId: string, definition: AgentDefinition): Promise<void> {
    const { tools, localTools, askUser } = definition;
    const others = localTools.length + (askUser ? 1 : 0);
    await this.tools.assertOfferable(tx, spaceId, tools, others);
  }

  private async modelStatuses(
    spaceId: string,
    agents: AgentEntity[],
  ): Promise<(agent: AgentEntity) => Agent['modelStatus']> {
    const names = new Set(agents.map(({ definition }) => definition.model));
    const statuses = names.size === 0 ? null : await this.catalog.status(spaceId, names);
    return ({ definition }) => statuses?.get(definition.model) ?? 'unknown';
  }
}

function assertManaged(caller: UserPrincipal, agent: AgentEntity): AgentEntity {
  if (!mayManage(caller, agent)) throw forbidden(`Only its owner and admins may manage agent ${agent.id}`);
  return agent;
}

async function lockManaged(tx: EntityManager, caller: UserPrincipal, id: string): Promise<AgentEntity> {
  return assertManaged(caller, await lockAgent(tx, caller.spaceId, id));
}

/** Records what an admin does to another user's agent. What owners do to their own agents is not recorded. */
async function auditForeign(
  tx: EntityManager,
  { by, requestId }: AuditedCall,
  action: AuditAction,
  agent: AgentEntity,
  more: Record<string, unknown> = {},
): Promise<void> {
  if (agent.ownerUserId === by.userId) return;
  const details = { name: agent.definition.name, ...more };
  await recordAudit(tx, by, { action, targetType: 'agent', targetId: agent.id, details, requestId });
}

function assertNone(problems: string[]): void {
  if (problems.length > 0) throw invalidFor(problems);
}

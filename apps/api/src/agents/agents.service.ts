import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type {
  Agent,
  AgentAccess,
  AgentListing,
  AgentVersion,
  CreateAgentRequest,
  Page,
  UpdateAgentRequest,
  UserSummary,
} from '@platform/contracts';
import { DataSource, type EntityManager } from 'typeorm';
import { recordAudit } from '../auth/audit.ts';
import type { Act } from '../auth/caller.decorator.ts';
import { IdentityService } from '../auth/identity.service.ts';
import type { UserPrincipal } from '../auth/principal.ts';
import { conflict, forbidden, invalidFor } from '../infra/http/app-error.ts';
import type { PageDto } from '../infra/http/page.dto.ts';
import { Cursors } from '../infra/http/cursors.ts';
import { CatalogService } from '../models/catalog.service.ts';
import { explainAccess } from './access-report.ts';
import { decideAccess } from './agent-access.ts';
import { changedAgent, newAgent, promptProblems } from './agent-definition.ts';
import {
  definitionOf,
  toInvocable,
  toListing,
  toVersionedAgent,
  type AgentRow,
  type InvocableAgent,
} from './agent-row.ts';
import type { AgentQueryDto } from './agents.dto.ts';
import * as store from './agents.store.ts';

/** Agents as their makers keep them, and the one way to invoke them. */
@Injectable()
export class AgentsService {
  constructor(
    private readonly database: DataSource,
    private readonly cursors: Cursors,
    private readonly identity: IdentityService,
    private readonly catalog: CatalogService,
  ) {}

  /** What a turn needs of an agent; throws NOT_FOUND, or FORBIDDEN where the access rule keeps the caller out. */
  async invocable(
    caller: Pick<UserPrincipal, 'spaceId' | 'userId'> & Partial<UserPrincipal>,
    agentId: string,
  ): Promise<InvocableAgent> {
    const row = await store.findAgent(this.database, caller.spaceId, agentId);
    const { allowed, reason } = decideAccess(row, caller.userId);
    if (!allowed) throw forbidden(reason);
    return toInvocable(row);
  }

  /** Those of the ids that are agents of the space which the user may invoke. */
  accessibleAmong(user: { spaceId: string; userId: string }, ids: readonly string[]): Promise<string[]> {
    return store.accessibleAmong(this.database, user, ids);
  }

  async list(caller: UserPrincipal, query: AgentQueryDto): Promise<Page<Agent | AgentListing>> {
    const { userId, spaceId } = caller;
    const accessibleOnly = query.accessibleOnly === 'true';
    const filter = { agentsOf: spaceId, accessibleOnly };
    const below = this.cursors.idAfter(query.cursor, filter);
    const found = await store.listAgents(
      this.database,
      { spaceId, userId, accessibleOnly },
      below,
      query.limit + 1,
    );
    const whole = await this.wholeOf(
      caller,
      found.filter((row) => mayManage(caller, row)),
    );
    const toItem = (row: AgentRow) => whole.get(row.id) ?? toListing(row, userId);
    return this.cursors.page(found, query.limit, filter, (row) => [row.id], toItem);
  }

  async create(caller: UserPrincipal, request: CreateAgentRequest): Promise<Agent> {
    const definition = newAgent(request);
    refuse(promptProblems(definition));
    const row = await this.database.transaction((tx) =>
      store.insertAgent(tx, caller.spaceId, caller.userId, definition),
    );
    return this.whole(caller, row);
  }

  async get(caller: UserPrincipal, id: string): Promise<Agent | AgentListing> {
    const row = await store.findAgent(this.database, caller.spaceId, id);
    return mayManage(caller, row) ? this.whole(caller, row) : toListing(row, caller.userId);
  }

  /** A change of nothing makes no version. */
  async update(act: Act, id: string, change: UpdateAgentRequest): Promise<Agent> {
    const row = await this.database.transaction(async (tx) => {
      const current = await lockManaged(tx, act.by, id);
      const { version } = change;
      if (typeof version === 'number' && version !== current.version) {
        throw conflict(
          `Agent ${id} is at version ${current.version}, the change was made on version ${version}`,
        );
      }
      const definition = changedAgent(current, change);
      refuse(promptProblems(definition));
      if (isDeepStrictEqual(definition, definitionOf(current))) return current;
      await auditForeign(tx, act, 'agent.update', current, { fields: Object.keys(change) });
      return store.updateAgent(tx, current, act.by.userId, definition);
    });
    return this.whole(act.by, row);
  }

  async delete(act: Act, id: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      const row = await lockManaged(tx, act.by, id);
      await store.deleteAgent(tx, row);
      await auditForeign(tx, act, 'agent.delete', row);
    });
  }

  async versions(caller: UserPrincipal, id: string, { limit, cursor }: PageDto): Promise<Page<AgentVersion>> {
    const agent = managed(caller, await store.findAgent(this.database, caller.spaceId, id));
    const filter = { versionsOf: agent.id };
    const found = await store.listVersions(
      this.database,
      agent,
      this.cursors.idAfter(cursor, filter),
      limit + 1,
    );
    const authors = await this.identity.usersByIds(found.map((row) => row.authorUserId));
    const toItem = (row: store.VersionRow) => toVersion(agent, row, authors.get(row.authorUserId));
    return this.cursors.page(found, limit, filter, (row) => [row.id], toItem);
  }

  /** Makes a new version that is what an old one was. */
  async restore(act: Act, id: string, version: string): Promise<Agent> {
    const row = await this.database.transaction(async (tx) => {
      const current = await lockManaged(tx, act.by, id);
      const { snapshot } = await store.findVersion(tx, current, version);
      await auditForeign(tx, act, 'agent.restore', current, { version: Number(version) });
      return store.updateAgent(tx, current, act.by.userId, snapshot);
    });
    return this.whole(act.by, row);
  }

  /** Who may call an agent and by which rule; one user's case, listed or not, where `userId` is given. */
  async access(caller: UserPrincipal, id: string, userId?: string): Promise<AgentAccess> {
    const agent = managed(caller, await store.findAgent(this.database, caller.spaceId, id));
    return explainAccess(agent, await this.identity.membersOf(caller.spaceId), userId);
  }

  private async whole(caller: UserPrincipal, row: AgentRow): Promise<Agent> {
    const statuses = await this.catalog.status(row.spaceId, [row.model]);
    return toAgent(caller, row, statuses);
  }

  private async wholeOf(caller: UserPrincipal, found: AgentRow[]): Promise<Map<string, Agent>> {
    if (found.length === 0) return new Map();
    const statuses = await this.catalog.status(caller.spaceId, new Set(found.map((row) => row.model)));
    return new Map(found.map((row) => [row.id, toAgent(caller, row, statuses)]));
  }
}

function toAgent(caller: UserPrincipal, row: AgentRow, statuses: Map<string, Agent['modelStatus']>): Agent {
  return {
    ...toVersionedAgent(row),
    modelStatus: statuses.get(row.model) ?? 'unknown',
    accessible: decideAccess(row, caller.userId).allowed,
  };
}

function toVersion(agent: AgentRow, row: store.VersionRow, author: UserSummary | undefined): AgentVersion {
  const { version, snapshot, createdAt } = row;
  return {
    version,
    author: author ? { id: author.id, name: author.name } : null,
    createdAt: createdAt.toISOString(),
    agent: toVersionedAgent({ ...agent, ...snapshot, version, updatedAt: createdAt }),
  };
}

function mayManage(caller: UserPrincipal, agent: AgentRow): boolean {
  return caller.role === 'ADMIN' || agent.ownerUserId === caller.userId;
}

function managed(caller: UserPrincipal, agent: AgentRow): AgentRow {
  if (!mayManage(caller, agent)) throw forbidden(`Only its owner and admins may manage agent ${agent.id}`);
  return agent;
}

async function lockManaged(tx: EntityManager, caller: UserPrincipal, id: string): Promise<AgentRow> {
  return managed(caller, await store.lockAgent(tx, caller.spaceId, id));
}

/** An admin's act on somebody else's agent is recorded; an owner's on his own is not an admin act. */
async function auditForeign(
  tx: EntityManager,
  { by, requestId }: Act,
  action: string,
  agent: AgentRow,
  more: Record<string, unknown> = {},
): Promise<void> {
  if (agent.ownerUserId === by.userId) return;
  const details = { name: agent.name, ...more };
  await recordAudit(tx, by, { action, targetType: 'agent', targetId: agent.id, details, requestId });
}

function refuse(problems: string[]): void {
  if (problems.length > 0) throw invalidFor(problems);
}

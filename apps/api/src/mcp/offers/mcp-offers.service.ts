import { Injectable } from '@nestjs/common';
import type { McpOffers, UpdateMcpOffersRequest } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { AgentsService } from '../../agents/agents.service.ts';
import { mcpAddress } from '../../auth/grants/mcp-address.ts';
import { recordAudit } from '../../auth/audit/audit.ts';
import type { AuditedCall } from '../../auth/principals/caller.decorator.ts';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { Database } from '../../infra/database/database.ts';
import { invalidFor } from '../../infra/errors/app-error.ts';
import { TaskDirectoryService } from '../../tasks/definition/task-directory.service.ts';
import { MAX_OFFERED, ToolDirectoryService } from '../../tools/definition/tool-directory.service.ts';
import type { NamedOffer } from './mcp-offers.entity.ts';
import { lockOffers, loadOffers, storeOffers, type Offers } from './mcp-offers.store.ts';
import { CANCEL, GET_RESULT, SEARCH_DOCUMENTS, toolName } from './tool-name.ts';

/** How many methods are named that no list has. */
const MAX_NAMED = 100;

const NOTHING: Offers = { agents: [], tasks: [], tools: [], knowledge: false };

/** What a space offers to MCP clients. */
@Injectable()
export class McpOffersService {
  constructor(
    private readonly database: Database,
    private readonly config: PlatformConfig,
    private readonly agents: AgentsService,
    private readonly tasks: TaskDirectoryService,
    private readonly tools: ToolDirectoryService,
  ) {}

  async load(spaceId: string): Promise<Offers> {
    return (await loadOffers(this.database, spaceId)) ?? NOTHING;
  }

  async get(spaceId: string): Promise<McpOffers> {
    return this.describe(spaceId, await this.load(spaceId));
  }

  /** Replaces what is offered. Throws VALIDATION_ERROR for what does not exist, and if it is more than clients accept. */
  async replace({ by, requestId }: AuditedCall, request: UpdateMcpOffersRequest): Promise<McpOffers> {
    const { spaceId } = by;
    const stored = await this.database.transaction(async (tx) => {
      await lockOffers(tx, spaceId);
      await this.assertExist(tx, spaceId, request);
      const before = (await loadOffers(tx, spaceId)) ?? NOTHING;
      const knowledge = request.knowledge ?? before.knowledge;
      await this.tools.assertOfferable(tx, spaceId, request.tools, offeredBeside(request, knowledge));
      const offers = {
        agents: nameAll(
          'ask',
          request.agents,
          before.agents,
          await this.agents.listNames(tx, spaceId, request.agents),
        ),
        tasks: nameAll('run', request.tasks, before.tasks, await this.taskNames(tx, spaceId, request.tasks)),
        tools: request.tools.map(({ toolId, methods }) => ({ toolId, methods })),
        knowledge,
      };
      await storeOffers(tx, spaceId, offers);
      const action = { action: 'mcp.offers' as const, targetType: 'space', targetId: spaceId };
      const details = {
        agents: request.agents,
        tasks: request.tasks,
        tools: request.tools.map(({ toolId }) => toolId),
        knowledge,
      };
      await recordAudit(tx, by, { ...action, details, requestId });
      return offers;
    });
    return this.describe(spaceId, stored);
  }

  private async assertExist(
    tx: EntityManager,
    spaceId: string,
    { agents, tasks, tools }: UpdateMcpOffersRequest,
  ): Promise<void> {
    const names = await this.agents.listNames(tx, spaceId, agents);
    const facts = await this.tasks.find(tx, spaceId, tasks);
    const missing = await this.tools.findMissing(tx, spaceId, tools);
    const problems = [
      ...agents.flatMap((id, i) =>
        names.has(id) ? [] : [`agents[${i}] must be the id of an agent of the space`],
      ),
      ...tasks.flatMap((id, i) => {
        const task = facts.get(id);
        return task?.exists && task.type === 'MANUAL'
          ? []
          : [`tasks[${i}] must be the id of a task of type MANUAL`];
      }),
      ...missing.flatMap((problem, i) =>
        problem === null ? [] : [`tools[${i}]: ${problem.replace('The agent lists', 'unknown')}`],
      ),
    ];
    if (problems.length > 0) throw invalidFor(problems);
  }

  private async taskNames(tx: EntityManager, spaceId: string, ids: string[]): Promise<Map<string, string>> {
    const facts = await this.tasks.find(tx, spaceId, ids);
    return new Map([...facts.values()].map(({ id, name }) => [id, name]));
  }

  private async describe(spaceId: string, offers: Offers): Promise<McpOffers> {
    const { agents, tasks, tools, knowledge } = offers;
    const room = roomForMethods(offers);
    const unlisted = await this.tools.listUnlisted(this.database, spaceId, tools, room, MAX_NAMED);
    return {
      url: mcpAddress(this.config.publicUrl, spaceId),
      agents,
      tasks,
      tools,
      knowledge,
      unlistedMethods: unlisted.count,
      unlisted: unlisted.first,
    };
  }
}

/** How many methods clients can be offered beside everything else. */
const roomForMethods = (offers: Offers) => Math.max(0, MAX_OFFERED - offeredBeside(offers, offers.knowledge));

const offeredBeside = (
  { agents, tasks }: Record<'agents' | 'tasks', readonly unknown[]>,
  knowledge: boolean,
) => agents.length + tasks.length + [GET_RESULT, CANCEL].length + (knowledge ? [SEARCH_DOCUMENTS].length : 0);

/** Keeps the names that clients know. */
function nameAll(
  verb: 'ask' | 'run',
  ids: readonly string[],
  before: readonly NamedOffer[],
  names: ReadonlyMap<string, string>,
): NamedOffer[] {
  const known = new Map(before.map(({ id, name }) => [id, name]));
  const taken = new Set(ids.flatMap((id) => known.get(id) ?? []));
  return [...new Set(ids)].map((id) => {
    const name = known.get(id) ?? toolName(verb, names.get(id) ?? '', id, taken);
    taken.add(name);
    return { id, name };
  });
}

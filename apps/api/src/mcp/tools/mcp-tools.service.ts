import { Injectable } from '@nestjs/common';
import { hasScope, type UserPrincipal } from '../../auth/principals/principal.ts';
import { MAX_OFFERED } from '../../tools/definition/tool-directory.service.ts';
import { AgentToolsService } from './agent-tools.service.ts';
import { McpDocumentsService } from '../content/mcp-documents.service.ts';
import { McpOffersService } from '../offers/mcp-offers.service.ts';
import type { CalledTool, McpTool } from '../work/mcp-tool.ts';
import { MethodToolsService } from './method-tools.service.ts';
import { TaskToolsService } from './task-tools.service.ts';
import { WorkToolsService } from './work-tools.service.ts';

/** All tools of a caller: what the space offers, as far as the caller may use it. */
@Injectable()
export class McpToolsService {
  constructor(
    private readonly offers: McpOffersService,
    private readonly agents: AgentToolsService,
    private readonly methods: MethodToolsService,
    private readonly tasks: TaskToolsService,
    private readonly documents: McpDocumentsService,
    private readonly work: WorkToolsService,
  ) {}

  async list(caller: UserPrincipal): Promise<McpTool[]> {
    return this.listOf(caller, await this.offers.load(caller.spaceId));
  }

  /** Looks at nothing but what can have the name. */
  async find(caller: UserPrincipal, name: string): Promise<CalledTool | null> {
    const isNamed = ({ listed }: McpTool) => listed.name === name;
    const own = this.work.list().find(isNamed);
    if (own !== undefined) return own;
    const offers = await this.offers.load(caller.spaceId);
    const agents = offers.agents.filter((offer) => offer.name === name);
    const tasks = offers.tasks.filter((offer) => offer.name === name);
    const named = (await this.listOf(caller, { ...offers, agents, tasks, tools: [] })).find(isNamed) ?? null;
    const isMethod = named === null && agents.length + tasks.length === 0 && offers.tools.length > 0;
    return isMethod && hasScope(caller, 'use') ? this.methods.find(caller, offers.tools, name) : named;
  }

  private async listOf(
    caller: UserPrincipal,
    offers: Awaited<ReturnType<McpOffersService['load']>>,
  ): Promise<McpTool[]> {
    const [agents, methods, tasks] = await Promise.all([
      offers.agents.length > 0 && hasScope(caller, 'invoke') ? this.agents.list(caller, offers.agents) : [],
      offers.tools.length > 0 && hasScope(caller, 'use') ? this.methods.list(caller, offers.tools) : [],
      offers.tasks.length > 0 && hasScope(caller, 'use', 'manage')
        ? this.tasks.list(caller, offers.tasks)
        : [],
    ]);
    const search = offers.knowledge && hasScope(caller, 'use') ? [this.documents.tool()] : [];
    const others = [...agents, ...tasks];
    const own = [...search, ...this.work.list()];
    // A tool can have more methods than when the offers were checked.
    const room = Math.max(0, MAX_OFFERED - others.length - own.length);
    return [...others, ...methods.slice(0, room), ...own];
  }
}

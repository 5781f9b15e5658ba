import { Injectable } from '@nestjs/common';
import { hasScope, type UserPrincipal } from '../auth/principals/principal.ts';
import { AgentToolsService } from './agent-tools.service.ts';
import { McpOffersService } from './mcp-offers.service.ts';
import type { McpCall, McpOutcome, McpTool } from './mcp-tool.ts';
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
    private readonly work: WorkToolsService,
  ) {}

  async list(caller: UserPrincipal): Promise<McpTool[]> {
    const offers = await this.offers.load(caller.spaceId);
    // The scopes are those of the routes that do the same.
    const [agents, methods, tasks] = await Promise.all([
      hasScope(caller, 'invoke') ? this.agents.list(caller, offers.agents) : [],
      hasScope(caller, 'use') ? this.methods.list(caller, offers.tools) : [],
      hasScope(caller, 'use', 'manage') ? this.tasks.list(caller, offers.tasks) : [],
    ]);
    return [...agents, ...tasks, ...methods, ...this.work.list()];
  }

  async find(caller: UserPrincipal, name: string): Promise<McpTool | null> {
    return (await this.list(caller)).find(({ listed }) => listed.name === name) ?? null;
  }

  /** Goes on with the work of a handle. */
  resume(call: McpCall, handle: string): Promise<McpOutcome> {
    return this.work.resume(call, handle);
  }
}

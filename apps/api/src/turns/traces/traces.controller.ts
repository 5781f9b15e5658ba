import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { InvokesAgent } from '../../agents/agent-access.guard.ts';
import type { InvocableAgent } from '../../agents/invocable-agent.ts';
import { InvokedAgent } from '../../agents/invoked-agent.decorator.ts';
import { Caller } from '../../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Access } from '../../infra/routes/access.ts';
import { TraceDto, TurnPageDto, TurnQueryDto } from './traces.dto.ts';
import { TracesService } from './traces.service.ts';

@Controller()
export class TracesController {
  constructor(private readonly traces: TracesService) {}

  /**
   * Lists the caller's turns of all agents, newest first. Admins can list those of the space in figures. A page looks at
   * a bounded number of turns: with a rare filter it can be short, or empty, and still have a next page.
   */
  @Access('member', 'invoke')
  @Get('turns')
  list(@Caller() caller: UserPrincipal, @Query() query: TurnQueryDto): Promise<TurnPageDto> {
    return this.traces.list(caller, query);
  }

  /** One of the caller's turns as a trace: its model calls, tool calls, and questions with their times and usage. */
  @InvokesAgent()
  @Get('agents/:agentId/turns/:turnId/trace')
  @ApiParam({ name: 'agentId', type: String })
  trace(
    @Caller() caller: UserPrincipal,
    @InvokedAgent() agent: InvocableAgent,
    @Param('turnId') turnId: string,
  ): Promise<TraceDto> {
    return this.traces.trace(caller, agent, turnId);
  }
}

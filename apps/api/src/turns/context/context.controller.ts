import { Controller, HttpCode, Param, Post, Query } from '@nestjs/common';
import { InvokesAgent } from '../../agents/agent-access.guard.ts';
import type { InvocableAgent } from '../../agents/invocable-agent.ts';
import { InvokedAgent } from '../../agents/invoked-agent.decorator.ts';
import { Caller } from '../../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { CompactionResultDto, CompactQueryDto, ContextStatusDto } from './context.dto.ts';
import { ContextService } from './context.service.ts';

/** The context of the caller's sessions. No route reads a body. */
@InvokesAgent()
@Controller('agents/:agentId/sessions/:sessionId/context')
export class ContextController {
  constructor(private readonly contexts: ContextService) {}

  /** Returns how much of the context window is used. */
  @Post('status')
  @HttpCode(200)
  status(
    @Caller() { userId }: UserPrincipal,
    @InvokedAgent() agent: InvocableAgent,
    @Param('sessionId') sessionId: string,
  ): Promise<ContextStatusDto> {
    return this.contexts.status({ agent, userId, sessionId });
  }

  /** Summarizes the context before the last turn. The chat history does not change. */
  @Post('compact')
  @HttpCode(200)
  compact(
    @Caller() { userId }: UserPrincipal,
    @InvokedAgent() agent: InvocableAgent,
    @Param('sessionId') sessionId: string,
    @Query() { dryRun }: CompactQueryDto,
  ): Promise<CompactionResultDto> {
    const scope = { agent, userId, sessionId };
    return dryRun === 'true' ? this.contexts.tryCompact(scope) : this.contexts.compact(scope);
  }

  /** Undoes the last summary, so that the model receives the original steps again. 409 if there is none. */
  @Post('undo')
  @HttpCode(200)
  undo(
    @Caller() { userId }: UserPrincipal,
    @InvokedAgent() agent: InvocableAgent,
    @Param('sessionId') sessionId: string,
  ): Promise<ContextStatusDto> {
    return this.contexts.undo({ agent, userId, sessionId });
  }
}

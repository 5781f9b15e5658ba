import { Body, Controller, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { InvokesAgent } from '../../agents/agent-access.guard.ts';
import type { InvocableAgent } from '../../agents/agent-row.ts';
import { InvokedAgent } from '../../agents/invoked-agent.decorator.ts';
import { Caller } from '../../auth/caller.decorator.ts';
import type { UserPrincipal } from '../../auth/principal.ts';
import { CancelAnswerDto, LocalToolAnswerDto, PendingInteractionsDto } from '../answers/answers.dto.ts';
import { ApiStream, ApiStreamProtocol } from '../answers/api-stream.decorator.ts';
import { CancellationService } from '../lifecycle/cancellation.service.ts';
import { InteractionsService } from './interactions.service.ts';
import { localToolResult } from '../local-tools/local-tool-result.ts';
import { LocalTools } from '../local-tools/local-tools.ts';
import { assertStreamProtocol, SegmentReader } from '../answers/segment-reader.ts';
import { CancelDto, LocalToolResultDto, ResumeDto } from '../lifecycle/turns.dto.ts';

/** What a user does to a turn that has begun. */
@InvokesAgent()
@Controller('agents/:agentId')
export class InteractionsController {
  constructor(
    private readonly interactions: InteractionsService,
    private readonly cancellation: CancellationService,
    private readonly localTools: LocalTools,
    private readonly reader: SegmentReader,
  ) {}

  /** The questions of the session that wait for an answer. */
  @Get('sessions/:sessionId/interactions/pending')
  async pending(
    @Caller() caller: UserPrincipal,
    @Param('agentId') agentId: string,
    @Param('sessionId') sessionId: string,
  ): Promise<PendingInteractionsDto> {
    return { items: await this.interactions.pending(caller, agentId, sessionId) };
  }

  /** Answers a question; the turn goes on in a stream of its own. The same answer again gets the same stream. */
  @Post('turns/:turnId/resume')
  @HttpCode(200)
  @ApiParam({ name: 'agentId', type: String })
  @ApiStreamProtocol()
  @ApiStream()
  async resume(
    @Caller() caller: UserPrincipal,
    @InvokedAgent() agent: InvocableAgent,
    @Param('turnId') turnId: string,
    @Body() { sessionId, interactionId, selectedOptionIds, otherText }: ResumeDto,
    @Req() req: Request,
    @Res() res: Response,
  ): Promise<void> {
    assertStreamProtocol(req);
    this.reader.admit(caller, res);
    const answer = { selectedOptionIds, otherText: otherText ?? null };
    const resume = { sessionId, interactionId, answer };
    const opened = await this.interactions.resume(caller, agent, turnId, resume, req.requestId);
    await this.reader.stream(res, opened);
  }

  /** Stops the turn wherever it runs; what was said is kept and charged, what is finished stays as it is. */
  @Post('turns/:turnId/cancel')
  @HttpCode(200)
  cancel(
    @Caller() caller: UserPrincipal,
    @Param('agentId') agentId: string,
    @Param('turnId') turnId: string,
    @Body() { sessionId }: CancelDto,
  ): Promise<CancelAnswerDto> {
    return this.cancellation.cancel(caller, agentId, turnId, sessionId);
  }

  /** The result of a local tool call; the first one counts. */
  @Post('turns/:turnId/local-tools/:callId')
  @HttpCode(200)
  async localTool(
    @Caller() caller: UserPrincipal,
    @Param('agentId') agentId: string,
    @Param('turnId') turnId: string,
    @Param('callId') callId: string,
    @Body() body: LocalToolResultDto,
    @Req() req: Request,
  ): Promise<LocalToolAnswerDto> {
    await this.localTools.answer(caller, agentId, turnId, callId, localToolResult(body, req.body as object));
    return { callId, accepted: true };
  }
}

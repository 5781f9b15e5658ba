import { Body, Controller, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { InvokesAgent } from '../../agents/agent-access.guard.ts';
import type { InvocableAgent } from '../../agents/invocable-agent.ts';
import { InvokedAgent } from '../../agents/invoked-agent.decorator.ts';
import { Caller } from '../../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { ApiStream, ApiStreamProtocol } from '../answers/api-stream.decorator.ts';
import { InteractionsService } from './interactions.service.ts';
import { assertStreamProtocol, SegmentReaderService } from '../answers/segment-reader.service.ts';
import { PendingInteractionsDto, ResumeDto } from './interactions.dto.ts';

/** The questions of turns, and the responses of users. */
@InvokesAgent()
@Controller('agents/:agentId')
export class InteractionsController {
  constructor(
    private readonly interactions: InteractionsService,
    private readonly reader: SegmentReaderService,
  ) {}

  /** Lists the pending questions of the session. */
  @Get('sessions/:sessionId/interactions/pending')
  async pending(
    @Caller() caller: UserPrincipal,
    @Param('agentId') agentId: string,
    @Param('sessionId') sessionId: string,
  ): Promise<PendingInteractionsDto> {
    return { items: await this.interactions.pending(caller, agentId, sessionId) };
  }

  /** Answers a question. The turn continues in a new stream. The same answer again returns the same stream. */
  @Post('turns/:turnId/resume')
  @HttpCode(200)
  @ApiParam({ name: 'agentId', type: String })
  @ApiStreamProtocol()
  @ApiStream()
  async resume(
    @Caller() caller: UserPrincipal,
    @InvokedAgent() agent: InvocableAgent,
    @Param('turnId') turnId: string,
    @Body() { sessionId, interactionId, selectedOptionIds, otherText, arguments: edited, values }: ResumeDto,
    @Req() req: Request,
    @Res() res: Response,
  ): Promise<void> {
    assertStreamProtocol(req);
    this.reader.admit(caller, res);
    const answer = {
      selectedOptionIds,
      otherText: otherText ?? null,
      ...(edited && { arguments: edited }),
      ...(values && { values }),
    };
    const resume = { sessionId, interactionId, answer };
    const opened = await this.interactions.resume(caller, agent, turnId, resume, req.requestId);
    await this.reader.stream(res, opened);
  }
}

import { Body, Controller, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { InvokesAgent } from '../../agents/agent-access.guard.ts';
import type { InvocableAgent } from '../../agents/invocable-agent.ts';
import { InvokedAgent } from '../../agents/invoked-agent.decorator.ts';
import { Caller } from '../../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { BodyLimit } from '../../infra/routes/body-limit.ts';
import { ChatResponseDto } from '../answers/answers.schema.ts';
import { AttachDto } from '../answers/attach.schema.ts';
import { ChatDto } from '../input/chat.dto.ts';
import { ApiAttachedStream, ApiStream, ApiStreamProtocol } from '../answers/api-stream.decorator.ts';
import { attachPosition, SegmentReaderService } from '../answers/segment-reader.service.ts';
import { chooseModel } from '../input/requested-model.ts';
import { settingsOf } from '../input/turn-settings.ts';
import { CancellationService } from './cancellation.service.ts';
import { CancelResponseDto, CancelDto, TurnDto } from './turns.dto.ts';
import { TurnsService } from './turns.service.ts';

@InvokesAgent()
@Controller('agents/:agentId')
export class TurnsController {
  constructor(
    private readonly turns: TurnsService,
    private readonly cancellation: CancellationService,
    private readonly reader: SegmentReaderService,
  ) {}

  /** Multimodal chat: Server-Sent Events by default, one JSON body with `stream: false`. */
  @Post('chat')
  @BodyLimit('large')
  @HttpCode(200)
  @ApiParam({ name: 'agentId', type: String })
  @ApiStreamProtocol()
  @ApiStream(ChatResponseDto)
  async chat(
    @Caller() caller: UserPrincipal,
    @InvokedAgent() agent: InvocableAgent,
    @Body() body: ChatDto,
    @Req() req: Request,
    @Res() res: Response,
  ): Promise<void> {
    const start = {
      caller,
      agent,
      contents: body.contents,
      sessionName: body.session_id ?? null,
      turnId: body.turnId ?? null,
      settings: { ...settingsOf(agent, body), ...chooseModel(caller, agent, body.model) },
      requestId: req.requestId,
    };
    await this.reader.respond(
      { caller, req, res, streamed: body.stream ?? true },
      () => this.turns.start(start),
      (answer) => answer,
    );
  }

  /** Returns a turn with its status, usage, times, and segments. */
  @Get('turns/:turnId')
  turn(
    @Caller() caller: UserPrincipal,
    @Param('agentId') agentId: string,
    @Param('turnId') turnId: string,
  ): Promise<TurnDto> {
    return this.turns.describe(caller, agentId, turnId);
  }

  /** Streams the frames of a turn, byte for byte, while it runs and afterwards. Disconnecting does not cancel the turn. */
  @Get('turns/:turnId/stream')
  @ApiAttachedStream()
  async attach(
    @Caller() caller: UserPrincipal,
    @Param('agentId') agentId: string,
    @Param('turnId') turnId: string,
    @Query() query: AttachDto,
    @Req() req: Request,
    @Res() res: Response,
  ): Promise<void> {
    this.reader.admit(caller, res);
    const { segment, after } = attachPosition(req, query);
    const opened = await this.reader.find(caller, () =>
      this.turns.attach(caller, agentId, turnId, segment, after),
    );
    await this.reader.stream(res, opened, after);
  }

  /** Cancels the turn. The text so far is stored and charged. Has no effect on a turn that has ended. */
  @Post('turns/:turnId/cancel')
  @HttpCode(200)
  cancel(
    @Caller() caller: UserPrincipal,
    @Param('agentId') agentId: string,
    @Param('turnId') turnId: string,
    @Body() { sessionId }: CancelDto,
  ): Promise<CancelResponseDto> {
    return this.cancellation.cancel(caller, agentId, turnId, sessionId);
  }
}

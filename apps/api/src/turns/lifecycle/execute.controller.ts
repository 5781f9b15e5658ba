import { Body, Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import type { ExecuteResponse } from '@platform/contracts';
import type { Request, Response } from 'express';
import { InvokesAgent } from '../../agents/agent-access.guard.ts';
import type { InvocableAgent } from '../../agents/invocable-agent.ts';
import { InvokedAgent } from '../../agents/invoked-agent.decorator.ts';
import { Caller } from '../../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { BodyLimit } from '../../infra/routes/body-limit.ts';
import { ExecuteResponseDto } from '../answers/answers.schema.ts';
import { ApiStream, ApiStreamProtocol } from '../answers/api-stream.decorator.ts';
import { ExecuteDto } from '../input/execute.dto.ts';
import { executeSettings, readInputs } from '../input/execute-inputs.ts';
import { chooseModel } from '../input/requested-model.ts';
import { SegmentReaderService } from '../answers/segment-reader.service.ts';
import { TurnsService } from './turns.service.ts';

@InvokesAgent()
@Controller('agents/:agentId')
export class ExecuteController {
  constructor(
    private readonly turns: TurnsService,
    private readonly reader: SegmentReaderService,
  ) {}

  /** Executes the agent with structured inputs: one JSON response with time and usage, or Server-Sent Events with `stream: true`. */
  @Post('execute')
  @BodyLimit('values')
  @HttpCode(200)
  @ApiParam({ name: 'agentId', type: String })
  @ApiStreamProtocol()
  @ApiStream(ExecuteResponseDto)
  async execute(
    @Caller() caller: UserPrincipal,
    @InvokedAgent() agent: InvocableAgent,
    @Body() body: ExecuteDto,
    @Req() req: Request,
    @Res() res: Response,
  ): Promise<void> {
    const streamed = body.stream ?? false;
    const execution = readInputs(body.inputs, agent);
    const { contents, sessionName, memory } = execution;
    const start = {
      caller,
      agent,
      contents,
      sessionName: memory ? sessionName : null,
      turnId: null,
      settings: {
        ...executeSettings(agent.settings, body.settings ?? {}, execution, {
          interactive: streamed,
          registeredLocalTools: body.registeredLocalTools,
        }),
        ...chooseModel(caller, agent, body.model),
      },
      requestId: req.requestId,
      hidden: !memory,
    };
    await this.reader.respond(
      { caller, req, res, streamed },
      () => this.turns.start(start),
      ({ answer, execution_time, token_usage }): ExecuteResponse => ({
        answer,
        agent_id: agent.id,
        execution_time,
        token_usage,
      }),
    );
  }
}

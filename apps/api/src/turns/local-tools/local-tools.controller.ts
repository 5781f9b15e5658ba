import { Body, Controller, HttpCode, Param, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import { InvokesAgent } from '../../agents/agent-access.guard.ts';
import { Caller } from '../../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { localToolResult } from './local-tool-result.ts';
import { LocalToolReceiptDto, LocalToolResultDto } from './local-tools.dto.ts';
import { LocalToolsService } from './local-tools.service.ts';

@InvokesAgent()
@Controller('agents/:agentId')
export class LocalToolsController {
  constructor(private readonly localTools: LocalToolsService) {}

  /** Sends the result of a local tool call. The first result counts. */
  @Post('turns/:turnId/local-tools/:callId')
  @HttpCode(200)
  async localTool(
    @Caller() caller: UserPrincipal,
    @Param('agentId') agentId: string,
    @Param('turnId') turnId: string,
    @Param('callId') callId: string,
    @Body() body: LocalToolResultDto,
    @Req() req: Request,
  ): Promise<LocalToolReceiptDto> {
    await this.localTools.answer(caller, agentId, turnId, callId, localToolResult(body, req.body as object));
    return { callId, accepted: true };
  }
}

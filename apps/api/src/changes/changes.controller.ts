import { Controller, Get, Headers, Res } from '@nestjs/common';
import { ApiExtraModels, ApiHeader, ApiOkResponse, getSchemaPath } from '@nestjs/swagger';
import type { Response } from 'express';
import { OpenResponsesRegistry } from '../auth/credentials/open-responses.registry.ts';
import { Caller } from '../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../auth/principals/principal.ts';
import { sendStream } from '../infra/responses/sse.ts';
import { Access } from '../infra/routes/access.ts';
import { ChangeDto } from './changes.dto.ts';
import { ChangesService } from './changes.service.ts';

@Controller('changes')
export class ChangesController {
  constructor(
    private readonly changes: ChangesService,
    private readonly openResponses: OpenResponsesRegistry,
  ) {}

  /**
   * Streams what changes in the space, without contents: what the caller may see, at most once a second. It never ends by
   * itself. With the `Last-Event-ID` of an earlier stream it continues there, or says `reset`.
   */
  @Get()
  @Access('member', 'invoke', 'use', 'manage', 'administer')
  @ApiExtraModels(ChangeDto)
  @ApiHeader({
    name: 'Last-Event-ID',
    description: 'The last `id` of an earlier stream. Valid for ten minutes.',
    required: false,
  })
  @ApiOkResponse({
    description: 'Server-Sent Events: one change per `data:` line.',
    content: { 'text/event-stream': { schema: { $ref: getSchemaPath(ChangeDto) } } },
  })
  async follow(
    @Caller() caller: UserPrincipal,
    @Headers('Last-Event-ID') position: string | undefined,
    @Res() res: Response,
  ): Promise<void> {
    this.openResponses.admit(caller, res);
    await sendStream(res, (left) => this.changes.follow(caller, position, left), {});
  }
}

import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Query, Res } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import type { Response } from 'express';
import { InvokesAgent } from '../../agents/agent-access.guard.ts';
import { Caller } from '../../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { PageDto } from '../../infra/requests/page.dto.ts';
import { MessagePageDto, RenameSessionDto, SessionDto, SessionPageDto } from './sessions.dto.ts';
import { SessionsService } from './sessions.service.ts';

/** The caller's sessions with an agent. */
@InvokesAgent()
@Controller('agents/:agentId/sessions')
export class SessionsController {
  constructor(private readonly sessions: SessionsService) {}

  /** Lists the caller's sessions with the agent, the latest first. */
  @Get()
  list(
    @Caller() { userId }: UserPrincipal,
    @Param('agentId') agentId: string,
    @Query() query: PageDto,
  ): Promise<SessionPageDto> {
    return this.sessions.list({ agentId, userId }, query);
  }

  /** One session of the caller. */
  @Get(':sessionId')
  get(
    @Caller() { userId }: UserPrincipal,
    @Param('agentId') agentId: string,
    @Param('sessionId') sessionId: string,
  ): Promise<SessionDto> {
    return this.sessions.get({ agentId, userId }, sessionId);
  }

  /** Gives the session another title. Its id stays the same. */
  @Patch(':sessionId')
  rename(
    @Caller() { userId }: UserPrincipal,
    @Param('agentId') agentId: string,
    @Param('sessionId') sessionId: string,
    @Body() { title }: RenameSessionDto,
  ): Promise<SessionDto> {
    return this.sessions.rename({ agentId, userId }, sessionId, title);
  }

  /** Deletes the session; 409 while one of its turns runs. A turn that waits for a person is canceled. */
  @Delete(':sessionId')
  @HttpCode(204)
  delete(
    @Caller() { userId }: UserPrincipal,
    @Param('agentId') agentId: string,
    @Param('sessionId') sessionId: string,
  ): Promise<void> {
    return this.sessions.delete({ agentId, userId }, sessionId);
  }

  /** The messages of the session, newest first. Media are links. */
  @Get(':sessionId/messages')
  messages(
    @Caller() { userId }: UserPrincipal,
    @Param('agentId') agentId: string,
    @Param('sessionId') sessionId: string,
    @Query() query: PageDto,
  ): Promise<MessagePageDto> {
    return this.sessions.messages({ agentId, userId }, sessionId, query);
  }

  /** The bytes of an attachment, always as a download. */
  @Get(':sessionId/attachments/:attachmentId')
  @ApiOkResponse({ content: { '*/*': { schema: { type: 'string', format: 'binary' } } } })
  async attachment(
    @Caller() { userId }: UserPrincipal,
    @Param('agentId') agentId: string,
    @Param('sessionId') sessionId: string,
    @Param('attachmentId') attachmentId: string,
    @Res() res: Response,
  ): Promise<void> {
    const { mime, data } = await this.sessions.attachment({ agentId, userId }, sessionId, attachmentId);
    res.setHeader('Content-Type', mime);
    res.setHeader('Content-Disposition', 'attachment');
    res.setHeader('Cache-Control', 'private, max-age=3600');
    res.end(data);
  }
}

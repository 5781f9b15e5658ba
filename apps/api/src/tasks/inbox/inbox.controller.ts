import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { Audited, Caller, type AuditedCall } from '../../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Access } from '../../infra/routes/access.ts';
import { AnswerQuestionDto, InboxCountDto, InboxPageDto, InboxQueryDto, QuestionDto } from './inbox.dto.ts';
import { InboxService } from './inbox.service.ts';

@Access('member', 'use', 'manage')
@Controller('inbox')
export class InboxController {
  constructor(private readonly inbox: InboxService) {}

  /** Lists the questions of runs to the caller: open ones oldest first, others newest first. */
  @Get()
  list(@Caller() caller: UserPrincipal, @Query() query: InboxQueryDto): Promise<InboxPageDto> {
    return this.inbox.list(caller, query);
  }

  /** Returns how many open questions are addressed to the caller. */
  @Get('count')
  count(@Caller() caller: UserPrincipal): Promise<InboxCountDto> {
    return this.inbox.count(caller);
  }

  /** Returns a question to the caller, or of a run that the caller can see. */
  @Get(':id')
  get(@Caller() caller: UserPrincipal, @Param('id') id: string): Promise<QuestionDto> {
    return this.inbox.get(caller, id);
  }

  /** Answers an open question to the caller. Its run goes on. The first answer counts: for any other, 409 says who answered what. */
  @Post(':id/answer')
  @HttpCode(200)
  answer(
    @Audited() call: AuditedCall,
    @Param('id') id: string,
    @Body() body: AnswerQuestionDto,
  ): Promise<QuestionDto> {
    return this.inbox.answer(call, id, body);
  }
}

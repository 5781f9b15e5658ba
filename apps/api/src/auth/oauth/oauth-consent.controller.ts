import { Body, Controller, Delete, Get, Header, HttpCode, Param, Post, Query } from '@nestjs/common';
import { PageDto } from '../../infra/requests/page.dto.ts';
import { Access } from '../../infra/routes/access.ts';
import { Audited, Caller, type AuditedCall } from '../principals/caller.decorator.ts';
import type { UserPrincipal } from '../principals/principal.ts';
import { ConsentsService } from './consents.service.ts';
import { ClientGrantsService } from './client-grants.service.ts';
import {
  AnswerAuthorizationDto,
  AuthorizationAnswerDto,
  OAuthAuthorizationDto,
  OAuthGrantPageDto,
  PreviewAuthorizationDto,
} from './oauth.dto.ts';

/** What people decide about clients. No API key decides for them. */
@Access('member')
@Controller('oauth')
export class OAuthConsentController {
  constructor(
    private readonly consents: ConsentsService,
    private readonly grants: ClientGrantsService,
  ) {}

  /** Returns what a client asks of the person whom it has sent to the consent page. */
  @Post('authorizations/preview')
  @HttpCode(200)
  previewAuthorization(
    @Caller() caller: UserPrincipal,
    @Body() { query }: PreviewAuthorizationDto,
  ): Promise<OAuthAuthorizationDto> {
    return this.consents.preview(caller, query);
  }

  /** Allows or denies what a client asks for. Returns where to send the person. */
  @Post('authorizations')
  @Header('Cache-Control', 'no-store')
  @HttpCode(200)
  answerAuthorization(
    @Audited() call: AuditedCall,
    @Body() body: AnswerAuthorizationDto,
  ): Promise<AuthorizationAnswerDto> {
    return this.consents.answer(call, body);
  }

  /** Lists the clients that the caller has let into the space, newest first; for admins those of everyone. */
  @Access('member', 'manage')
  @Get('grants')
  listGrants(@Caller() caller: UserPrincipal, @Query() query: PageDto): Promise<OAuthGrantPageDto> {
    return this.grants.list(caller, query);
  }

  /** Ends what a client may do, with immediate effect. */
  @Access('member', 'manage')
  @Delete('grants/:id')
  @HttpCode(204)
  revokeGrant(@Audited() call: AuditedCall, @Param('id') id: string): Promise<void> {
    return this.grants.revoke(call, id);
  }
}

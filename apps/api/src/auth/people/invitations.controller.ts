import { Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { Access } from '../../infra/routes/access.ts';
import { PageDto } from '../../infra/requests/page.dto.ts';
import { InvitationPageDto, ReceivedInvitationPageDto } from './people.dto.ts';
import { SpaceSummaryDto } from '../principals/principals.dto.ts';
import { Caller, Audited, type AuditedCall } from '../principals/caller.decorator.ts';
import { InvitationsService } from './invitations.service.ts';
import type { UserPrincipal } from '../principals/principal.ts';

@Access('admin', 'administer')
@Controller('invitations')
export class InvitationsController {
  constructor(private readonly invitations: InvitationsService) {}

  /** Lists the pending invitations of the space, newest first. */
  @Get()
  list(@Caller() caller: UserPrincipal, @Query() query: PageDto): Promise<InvitationPageDto> {
    return this.invitations.list(caller.spaceId, query);
  }

  /** Withdraws a pending invitation. */
  @HttpCode(204)
  @Delete(':id')
  withdraw(@Audited() call: AuditedCall, @Param('id') id: string): Promise<void> {
    return this.invitations.withdraw(call, id);
  }
}

@Access('member')
@Controller('auth/invitations')
export class ReceivedInvitationsController {
  constructor(private readonly invitations: InvitationsService) {}

  /** Lists the pending invitations of the caller, newest first. */
  @Get()
  list(@Caller() caller: UserPrincipal, @Query() query: PageDto): Promise<ReceivedInvitationPageDto> {
    return this.invitations.listReceived(caller, query);
  }

  /** Joins the space. 409 if the invitation has ended. */
  @HttpCode(200)
  @Post(':id/accept')
  accept(@Audited() call: AuditedCall, @Param('id') id: string): Promise<SpaceSummaryDto> {
    return this.invitations.accept(call, id);
  }

  /** Declines the invitation. 409 if it has ended. */
  @HttpCode(200)
  @Post(':id/decline')
  async decline(@Audited() call: AuditedCall, @Param('id') id: string): Promise<Record<string, never>> {
    await this.invitations.decline(call, id);
    return {};
  }
}

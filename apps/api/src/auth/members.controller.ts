import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiExtraModels, ApiResponse } from '@nestjs/swagger';
import type { Response } from 'express';
import { Access } from '../infra/http/access.ts';
import { PageDto } from '../infra/http/page.dto.ts';
import {
  AddMemberDto,
  AddedMemberDto,
  InvitedMemberDto,
  MemberDto,
  MemberPageDto,
  UpdateMemberDto,
} from './auth.dto.ts';
import { Caller, Audited, type AuditedCall } from './caller.decorator.ts';
import { MembersService } from './members.service.ts';
import type { UserPrincipal } from './principal.ts';

@Access('admin')
@Controller('members')
export class MembersController {
  constructor(private readonly members: MembersService) {}

  /** The members of the space, the newest account first. */
  @Access('member')
  @Get()
  list(@Caller() caller: UserPrincipal, @Query() query: PageDto): Promise<MemberPageDto> {
    return this.members.list(caller.spaceId, query);
  }

  /**
   * An installation administrator adds the person at once, with a new account if the e-mail has none. For every
   * other admin it is an invitation, answered alike whether or not there is an account.
   */
  @ApiExtraModels(AddedMemberDto, InvitedMemberDto)
  @ApiResponse({ status: 201, description: 'Added by an installation administrator.', type: AddedMemberDto })
  @ApiResponse({ status: 202, description: 'Invited by another admin.', type: InvitedMemberDto })
  @Post()
  async add(
    @Audited() call: AuditedCall,
    @Body() body: AddMemberDto,
    @Res({ passthrough: true }) res: Response,
  ): Promise<AddedMemberDto | InvitedMemberDto> {
    const added = await this.members.add(call, body);
    if ('status' in added) res.status(202);
    return added;
  }

  /** Changes the role of a member, or appoints and dismisses installation administrators; one of each kind stays. */
  @Patch(':userId')
  update(
    @Audited() call: AuditedCall,
    @Param('userId') userId: string,
    @Body() changes: UpdateMemberDto,
  ): Promise<MemberDto> {
    return this.members.update(call, userId, changes);
  }

  /** Takes a person out of the space; his keys and tokens for it die at once. */
  @HttpCode(204)
  @Delete(':userId')
  remove(@Audited() call: AuditedCall, @Param('userId') userId: string): Promise<void> {
    return this.members.remove(call, userId);
  }
}

import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiExtraModels, ApiResponse } from '@nestjs/swagger';
import type { Response } from 'express';
import { Access } from '../../infra/routes/access.ts';
import {
  AddMemberDto,
  AddedMemberDto,
  InvitedMemberDto,
  MemberDto,
  MemberPageDto,
  MemberQueryDto,
  MemberRemovalDto,
  RemoveMemberQueryDto,
  UpdateMemberDto,
} from './people.dto.ts';
import { Caller, Audited, type AuditedCall } from '../principals/caller.decorator.ts';
import { MembersService } from './members.service.ts';
import type { UserPrincipal } from '../principals/principal.ts';

@Access('admin', 'administer')
@Controller('members')
export class MembersController {
  constructor(private readonly members: MembersService) {}

  /** Lists the members of the space, newest account first unless `sort` says otherwise. */
  @Access('member', 'manage', 'administer')
  @Get()
  list(@Caller() caller: UserPrincipal, @Query() query: MemberQueryDto): Promise<MemberPageDto> {
    return this.members.list(caller.spaceId, query);
  }

  /**
   * For installation administrators, adds the person immediately and creates the account if the email address has none.
   * For other admins, creates an invitation; the response is the same whether or not there is an account.
   */
  @Access('admin')
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

  /** Changes the role of a member, or appoints or dismisses an installation administrator. At least one of each remains. */
  @Access('admin')
  @Patch(':userId')
  update(
    @Audited() call: AuditedCall,
    @Param('userId') userId: string,
    @Body() changes: UpdateMemberDto,
  ): Promise<MemberDto> {
    return this.members.update(call, userId, changes);
  }

  /** Returns what would stop if the person were removed, and with `transferTo`, which tasks that member cannot take over. */
  @Get(':userId/removal')
  previewRemoval(
    @Audited() call: AuditedCall,
    @Param('userId') userId: string,
    @Query() query: RemoveMemberQueryDto,
  ): Promise<MemberRemovalDto> {
    return this.members.previewRemoval(call, userId, query.transferTo ?? null);
  }

  /**
   * Removes a person from the space. Their keys and tokens for the space become invalid immediately, and their tasks are disabled;
   * with `transferTo` that member owns the tasks, which go on, also their runs. If one task needs rights that this
   * member lacks, nothing is changed. Turns of the person that wait for an answer are canceled within about a minute.
   */
  @HttpCode(204)
  @Delete(':userId')
  remove(
    @Audited() call: AuditedCall,
    @Param('userId') userId: string,
    @Query() query: RemoveMemberQueryDto,
  ): Promise<void> {
    return this.members.remove(call, userId, query.transferTo ?? null);
  }
}

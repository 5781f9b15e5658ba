import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { Access } from '../infra/http/access.ts';
import { PageDto } from '../infra/http/page.dto.ts';
import { AddMemberDto, AddedMemberDto, MemberDto, MemberPageDto, UpdateMemberDto } from './auth.dto.ts';
import { Caller, CallersAct, type Act } from './caller.decorator.ts';
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

  /** Adds a person to the space, with a new account where there is none of that e-mail. */
  @Post()
  add(@CallersAct() act: Act, @Body() body: AddMemberDto): Promise<AddedMemberDto> {
    return this.members.add(act, body);
  }

  /** Changes the role of a member; a space keeps an admin. */
  @Patch(':userId')
  update(
    @CallersAct() act: Act,
    @Param('userId') userId: string,
    @Body() { role }: UpdateMemberDto,
  ): Promise<MemberDto> {
    return this.members.changeRole(act, userId, role);
  }

  /** Takes a person out of the space; his keys and tokens for it die at once. */
  @HttpCode(204)
  @Delete(':userId')
  remove(@CallersAct() act: Act, @Param('userId') userId: string): Promise<void> {
    return this.members.remove(act, userId);
  }
}

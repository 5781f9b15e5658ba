import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { Access } from '../infra/http/access.ts';
import { PageDto } from '../infra/http/page.dto.ts';
import { CreateSpaceDto, SpacePageDto, SpaceSummaryDto } from './auth.dto.ts';
import { Caller, Audited, type AuditedCall } from './caller.decorator.ts';
import type { UserPrincipal } from './principal.ts';
import { SpacesService } from './spaces.service.ts';

@Access('member')
@Controller('spaces')
export class SpacesController {
  constructor(private readonly spaces: SpacesService) {}

  /** The spaces of the caller, the newest first. */
  @Get()
  list(@Caller() caller: UserPrincipal, @Query() query: PageDto): Promise<SpacePageDto> {
    return this.spaces.list(caller.userId, query);
  }

  /** A new space; its maker becomes its admin. */
  @Post()
  create(@Audited() call: AuditedCall, @Body() { name }: CreateSpaceDto): Promise<SpaceSummaryDto> {
    return this.spaces.create(call, name);
  }
}

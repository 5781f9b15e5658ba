import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { Access } from '../../infra/routes/access.ts';
import { PageDto } from '../../infra/requests/page.dto.ts';
import { CreateSpaceDto, SpacePageDto } from './people.dto.ts';
import { SpaceSummaryDto } from '../principals/principals.dto.ts';
import { Caller, Audited, type AuditedCall } from '../principals/caller.decorator.ts';
import type { UserPrincipal } from '../principals/principal.ts';
import { SpacesService } from './spaces.service.ts';

@Access('member')
@Controller('spaces')
export class SpacesController {
  constructor(private readonly spaces: SpacesService) {}

  /** Lists the spaces of the caller, newest first. */
  @Get()
  list(@Caller() caller: UserPrincipal, @Query() query: PageDto): Promise<SpacePageDto> {
    return this.spaces.list(caller.userId, query);
  }

  /** Creates a space. The caller becomes its admin. */
  @Post()
  create(@Audited() call: AuditedCall, @Body() { name }: CreateSpaceDto): Promise<SpaceSummaryDto> {
    return this.spaces.create(call, name);
  }
}

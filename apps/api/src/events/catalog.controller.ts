import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { Audited, Caller, type AuditedCall } from '../auth/caller.decorator.ts';
import type { UserPrincipal } from '../auth/principal.ts';
import { Access } from '../infra/http/access.ts';
import { BodyLimit } from '../infra/http/body-limit.ts';
import { CatalogApplicationDto, TestEmissionDto } from './catalog.dto.ts';
import { CatalogService } from './catalog.service.ts';
import { EmitResponseDto } from './emit.dto.ts';

@Controller('events/catalog')
export class CatalogController {
  constructor(private readonly catalog: CatalogService) {}

  /** Lists the registered events of the space, grouped by application, with their payload schemas. */
  @Get()
  @Access('member')
  list(@Caller() caller: UserPrincipal): Promise<CatalogApplicationDto[]> {
    return this.catalog.list(caller.spaceId);
  }

  /** Emits one event with the source `system`. It starts the tasks that are subscribed, as any other event does. */
  @Post(':application/:event/test')
  @Access('admin')
  @BodyLimit('event')
  @HttpCode(200)
  emitTest(
    @Audited() call: AuditedCall,
    @Param('application') application: string,
    @Param('event') event: string,
    @Body() { payload }: TestEmissionDto,
  ): Promise<EmitResponseDto> {
    return this.catalog.emitTest(call, application, event, payload);
  }
}

import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { Audited, Caller, type AuditedCall } from '../../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Access } from '../../infra/routes/access.ts';
import { PageDto } from '../../infra/requests/page.dto.ts';
import {
  BulkRunActionDto,
  BulkRunActionPageDto,
  BulkRunActionPreviewDto,
  CreateBulkRunActionDto,
  PreviewBulkRunActionDto,
} from './bulk-run-actions.dto.ts';
import { BulkRunActionsService } from './bulk-run-actions.service.ts';

@Access('member', 'use', 'manage')
@Controller('runs/bulk')
export class BulkRunActionsController {
  constructor(private readonly actions: BulkRunActionsService) {}

  /** Counts the runs that a bulk action would be for, up to a limit. Members reach the runs of their own tasks only. */
  @Post('preview')
  @HttpCode(200)
  preview(
    @Caller() caller: UserPrincipal,
    @Body() body: PreviewBulkRunActionDto,
  ): Promise<BulkRunActionPreviewDto> {
    return this.actions.preview(caller, body);
  }

  /** Begins to retry, cancel, or dismiss runs, oldest first, at a rate. Each run is handled once. */
  @Post()
  @HttpCode(202)
  create(@Audited() call: AuditedCall, @Body() body: CreateBulkRunActionDto): Promise<BulkRunActionDto> {
    return this.actions.create(call, body);
  }

  /** Lists the caller's bulk actions, for admins those of everyone in the space, newest first. */
  @Get()
  list(@Caller() caller: UserPrincipal, @Query() query: PageDto): Promise<BulkRunActionPageDto> {
    return this.actions.list(caller, query);
  }

  /** Returns a bulk action with its progress. */
  @Get(':id')
  get(@Caller() caller: UserPrincipal, @Param('id') id: string): Promise<BulkRunActionDto> {
    return this.actions.get(caller, id);
  }

  /** Stops a bulk action. What it has changed stays changed. */
  @Delete(':id')
  @HttpCode(204)
  stop(@Audited() call: AuditedCall, @Param('id') id: string): Promise<void> {
    return this.actions.stop(call, id);
  }
}

import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { Audited, Caller, type AuditedCall } from '../../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Access } from '../../infra/routes/access.ts';
import { PageDto } from '../../infra/requests/page.dto.ts';
import { BulkReplaysService } from './bulk-replays.service.ts';
import {
  BulkReplayDto,
  BulkReplayPageDto,
  CreateBulkReplayDto,
  ReplayPreviewDto,
  ReplayQueryDto,
} from './replays.dto.ts';

@Access('admin', 'manage')
@Controller('events/replays')
export class BulkReplaysController {
  constructor(private readonly replays: BulkReplaysService) {}

  /** Counts the envelopes that a bulk replay would replay, up to a limit. */
  @Post('preview')
  @HttpCode(200)
  preview(@Caller() caller: UserPrincipal, @Body() query: ReplayQueryDto): Promise<ReplayPreviewDto> {
    return this.replays.preview(caller.spaceId, query);
  }

  /** Begins to replay envelopes, oldest first, at a rate. Each is replayed once. */
  @Post()
  @HttpCode(202)
  create(@Audited() call: AuditedCall, @Body() body: CreateBulkReplayDto): Promise<BulkReplayDto> {
    return this.replays.create(call, body);
  }

  /** Lists the bulk replays of the space, newest first. */
  @Get()
  list(@Caller() caller: UserPrincipal, @Query() query: PageDto): Promise<BulkReplayPageDto> {
    return this.replays.list(caller.spaceId, query);
  }

  /** Returns a bulk replay with its progress. */
  @Get(':id')
  get(@Caller() caller: UserPrincipal, @Param('id') id: string): Promise<BulkReplayDto> {
    return this.replays.get(caller.spaceId, id);
  }

  /** Stops a bulk replay. What it has replayed already is dispatched. */
  @Delete(':id')
  @HttpCode(204)
  stop(@Audited() call: AuditedCall, @Param('id') id: string): Promise<void> {
    return this.replays.stop(call, id);
  }
}

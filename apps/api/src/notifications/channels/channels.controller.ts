import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { Audited, Caller, type AuditedCall } from '../../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { PageDto } from '../../infra/requests/page.dto.ts';
import { Access } from '../../infra/routes/access.ts';
import {
  CreateNotificationChannelDto,
  NotificationChannelDto,
  NotificationChannelPageDto,
  UpdateNotificationChannelDto,
} from './channels.dto.ts';
import { ChannelsService } from './channels.service.ts';

@Access('admin', 'administer')
@Controller('notifications/channels')
export class ChannelsController {
  constructor(private readonly channels: ChannelsService) {}

  /** Lists the notification channels of the space, newest first. */
  @Get()
  list(@Caller() { spaceId }: UserPrincipal, @Query() query: PageDto): Promise<NotificationChannelPageDto> {
    return this.channels.list(spaceId, query);
  }

  /** Creates a notification channel. It is told what happens from now on. */
  @Post()
  create(
    @Audited() call: AuditedCall,
    @Body() body: CreateNotificationChannelDto,
  ): Promise<NotificationChannelDto> {
    return this.channels.create(call, body);
  }

  /** Returns a notification channel, without its secrets. */
  @Get(':id')
  get(@Caller() { spaceId }: UserPrincipal, @Param('id') id: string): Promise<NotificationChannelDto> {
    return this.channels.get(spaceId, id);
  }

  /** Changes a notification channel. Secrets that are not given are kept. */
  @Patch(':id')
  update(
    @Audited() call: AuditedCall,
    @Param('id') id: string,
    @Body() body: UpdateNotificationChannelDto,
  ): Promise<NotificationChannelDto> {
    return this.channels.update(call, id, body);
  }

  /** Deletes a notification channel. What waits for it is not sent. */
  @Delete(':id')
  @HttpCode(204)
  delete(@Audited() call: AuditedCall, @Param('id') id: string): Promise<void> {
    return this.channels.delete(call, id);
  }
}

import { Body, Controller, Get, Put } from '@nestjs/common';
import { Audited, Caller, type AuditedCall } from '../../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Access } from '../../infra/routes/access.ts';
import { PlatformEventsDto, UpdatePlatformEventsDto } from './platform-events.dto.ts';
import { PlatformEventsService } from './platform-events.service.ts';

@Access('admin', 'administer')
@Controller('notifications/events')
export class PlatformEventsController {
  constructor(private readonly events: PlatformEventsService) {}

  /** Returns what channels are told, and whether these are events to which tasks of the space can subscribe. */
  @Get()
  getPlatformEvents(@Caller() { spaceId }: UserPrincipal): Promise<PlatformEventsDto> {
    return this.events.get(spaceId);
  }

  /**
   * Installs the application `platform`, whose events the platform emits from now on, or uninstalls it. Subscriptions stay, and
   * receive events again once it is enabled again.
   */
  @Put()
  updatePlatformEvents(
    @Audited() call: AuditedCall,
    @Body() { enabled }: UpdatePlatformEventsDto,
  ): Promise<PlatformEventsDto> {
    return this.events.update(call, enabled);
  }
}

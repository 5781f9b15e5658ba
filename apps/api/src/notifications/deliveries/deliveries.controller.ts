import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { Audited, Caller, type AuditedCall } from '../../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Access } from '../../infra/routes/access.ts';
import {
  NotificationDeliveryDetailDto,
  NotificationDeliveryDto,
  NotificationDeliveryPageDto,
  NotificationDeliveryQueryDto,
} from './deliveries.dto.ts';
import { DeliveriesService } from './deliveries.service.ts';

@Access('admin', 'administer')
@Controller('notifications')
export class DeliveriesController {
  constructor(private readonly deliveries: DeliveriesService) {}

  /** Lists what was sent over the channels of the space, and what waits, newest first. */
  @Get('deliveries')
  list(
    @Caller() { spaceId }: UserPrincipal,
    @Query() query: NotificationDeliveryQueryDto,
  ): Promise<NotificationDeliveryPageDto> {
    return this.deliveries.list(spaceId, query);
  }

  /** Returns a delivery with what it tells, and with the request and the response of its last attempt. */
  @Get('deliveries/:id')
  get(@Caller() { spaceId }: UserPrincipal, @Param('id') id: string): Promise<NotificationDeliveryDetailDto> {
    return this.deliveries.get(spaceId, id);
  }

  /** Sends the content of a delivery again, as another delivery. One that waits cannot be sent again. */
  @Post('deliveries/:id/resend')
  @HttpCode(202)
  resend(@Audited() call: AuditedCall, @Param('id') id: string): Promise<NotificationDeliveryDto> {
    return this.deliveries.resend(call, id);
  }

  /** Sends a test message over a channel, also over a disabled one, and returns what happened. */
  @Post('channels/:id/test')
  @HttpCode(200)
  test(@Audited() call: AuditedCall, @Param('id') id: string): Promise<NotificationDeliveryDetailDto> {
    return this.deliveries.test(call, id);
  }
}

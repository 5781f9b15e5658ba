import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { Audited, Caller, type AuditedCall } from '../../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Access } from '../../infra/routes/access.ts';
import {
  RetryWebhookDeliveryDto,
  TestWebhookDto,
  WebhookDeliveryDetailDto,
  WebhookDeliveryDto,
  WebhookDeliveryPageDto,
  WebhookDeliveryQueryDto,
  WebhookTestDto,
} from './webhook-deliveries.dto.ts';
import { WebhookDeliveriesService } from './webhook-deliveries.service.ts';

@Access('admin', 'administer')
@Controller()
export class WebhookDeliveriesController {
  constructor(private readonly deliveries: WebhookDeliveriesService) {}

  /** Lists what was sent to the webhooks of jobs, and what waits, newest first. */
  @Get('webhook-deliveries')
  list(
    @Caller() { spaceId }: UserPrincipal,
    @Query() query: WebhookDeliveryQueryDto,
  ): Promise<WebhookDeliveryPageDto> {
    return this.deliveries.list(spaceId, query);
  }

  /** Returns a delivery with its request, and with its attempts and what the server responded to each. */
  @Get('webhook-deliveries/:id')
  get(@Caller() caller: UserPrincipal, @Param('id') id: string): Promise<WebhookDeliveryDetailDto> {
    return this.deliveries.get(caller, id);
  }

  /**
   * Sends a delivery that was given up once more, unchanged and with the same `webhook-id`. Returns 409 if it waits, was
   * delivered, is no longer kept, or has other `attempts` than the caller has seen.
   */
  @Post('webhook-deliveries/:id/retry')
  @HttpCode(202)
  retry(
    @Audited() call: AuditedCall,
    @Param('id') id: string,
    @Body() { attempts }: RetryWebhookDeliveryDto,
  ): Promise<WebhookDeliveryDto> {
    return this.deliveries.retry(call, id, attempts ?? null);
  }

  /** Sends one signed test message to an address, and returns what happened. It is not listed among the deliveries. */
  @Post('webhooks/test')
  @HttpCode(200)
  test(@Audited() call: AuditedCall, @Body() { url }: TestWebhookDto): Promise<WebhookTestDto> {
    return this.deliveries.test(call, url);
  }
}

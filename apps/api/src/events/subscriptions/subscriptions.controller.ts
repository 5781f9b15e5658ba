import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { Audited, Caller, type AuditedCall } from '../../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Access } from '../../infra/routes/access.ts';
import { FilterPreviewsService } from './filter-previews.service.ts';
import {
  CreateSubscriptionDto,
  FilterPreviewDto,
  FilterPreviewRequestDto,
  SubscriptionDto,
  SubscriptionPageDto,
  SubscriptionQueryDto,
  UpdateSubscriptionDto,
} from './subscriptions.dto.ts';
import { SubscriptionsService } from './subscriptions.service.ts';

@Access('admin', 'manage')
@Controller('events/subscriptions')
export class SubscriptionsController {
  constructor(
    private readonly subscriptions: SubscriptionsService,
    private readonly previews: FilterPreviewsService,
  ) {}

  /** Lists the subscriptions of the space, newest first. */
  @Get()
  list(@Caller() caller: UserPrincipal, @Query() query: SubscriptionQueryDto): Promise<SubscriptionPageDto> {
    return this.subscriptions.list(caller.spaceId, query);
  }

  /** Subscribes a task of type EVENT to a registered event. */
  @Post()
  create(@Audited() call: AuditedCall, @Body() body: CreateSubscriptionDto): Promise<SubscriptionDto> {
    return this.subscriptions.create(call, body);
  }

  /** Shows which of the latest envelopes of an event a filter would match, and why it would not match the others. */
  @Post('preview')
  @HttpCode(200)
  preview(@Caller() caller: UserPrincipal, @Body() body: FilterPreviewRequestDto): Promise<FilterPreviewDto> {
    return this.previews.preview(caller.spaceId, body);
  }

  /** Returns a subscription. */
  @Get(':id')
  get(@Caller() caller: UserPrincipal, @Param('id') id: string): Promise<SubscriptionDto> {
    return this.subscriptions.get(caller.spaceId, id);
  }

  /** Changes the filter, or enables or disables the subscription. It keeps its id and origin. */
  @Patch(':id')
  update(
    @Audited() call: AuditedCall,
    @Param('id') id: string,
    @Body() body: UpdateSubscriptionDto,
  ): Promise<SubscriptionDto> {
    return this.subscriptions.update(call, id, body);
  }

  /** Deletes the subscription. A default subscription stays deleted when its application is installed again. */
  @Delete(':id')
  @HttpCode(204)
  delete(@Audited() call: AuditedCall, @Param('id') id: string): Promise<void> {
    return this.subscriptions.delete(call, id);
  }
}

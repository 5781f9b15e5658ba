import type { EventFilter, SubscriptionOrigin } from '@platform/contracts';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsOptional, IsString, IsUUID, Length } from 'class-validator';
import { FreeForm } from '../../infra/requests/free-form.ts';
import { Nullable } from '../../infra/requests/nullable.ts';
import { PageDto } from '../../infra/requests/page.dto.ts';
import { IsText } from '../../infra/requests/text.ts';
import { SubscriptionDebounceDto } from './debounce.schema.ts';
import { SubscriptionBatchDto } from './batch.schema.ts';
import { checkBatch } from './batch.ts';
import { checkDebounce } from './debounce.ts';
import { checkFilter } from './filter.ts';
import { pageOf } from '../../infra/responses/page-of.ts';

const FILTER = {
  type: 'object' as const,
  additionalProperties: true,
  nullable: true,
  example: { currency: 'EUR', amount: [50, 100] },
};

class EventReferenceDto {
  /** The application that declares the event. */
  @IsText()
  @Length(1, 200)
  @ApiProperty({ example: 'order-desk' })
  applicationIdentifier!: string;

  /** A registered event of the application. */
  @IsText()
  @Length(1, 200)
  @ApiProperty({ example: 'order.created' })
  event!: string;
}

export class CreateSubscriptionDto extends EventReferenceDto {
  /** A task of type EVENT. */
  @IsString()
  taskId!: string;

  /**
   * Fields that the payload must have; `customer.country` names a field inside. An array means one of its members, and an object of
   * `$gt`, `$gte`, `$lt`, `$lte`, `$prefix`, `$exists`, and `$not` what they say. Without a filter, every event matches. A filter
   * that no payload of the event can match is refused.
   */
  @ApiPropertyOptional(FILTER)
  @FreeForm(checkFilter)
  filter?: EventFilter;

  /**
   * The last event starts the task once no further one has come for a while; the others start no run of their own. An event
   * that is replayed alone does not wait.
   */
  @FreeForm(checkDebounce)
  debounce?: SubscriptionDebounceDto;

  /**
   * Events are collected, and start the task together: its trigger has `items`, in the order in which the events were recorded. An
   * event that is replayed alone is a batch of its own. Not together with `debounce`.
   */
  @FreeForm(checkBatch)
  batch?: SubscriptionBatchDto;

  /** Default: true. */
  @IsOptional()
  @IsBoolean()
  enabled?: boolean;
}

export class UpdateSubscriptionDto {
  /** Replaces the filter; null removes it. */
  @ApiPropertyOptional(FILTER)
  @Nullable()
  @FreeForm(checkFilter)
  filter?: EventFilter | null;

  /** Replaces it; null removes it. */
  @Nullable()
  @FreeForm(checkDebounce)
  debounce?: SubscriptionDebounceDto | null;

  /** Replaces it; null removes it. Events that are collected stay together. */
  @Nullable()
  @FreeForm(checkBatch)
  batch?: SubscriptionBatchDto | null;

  /** A disabled subscription is kept, but never starts its task. */
  @IsOptional()
  @IsBoolean()
  enabled?: boolean;
}

/** Of a list that is limited to what belongs to an event. */
export class EventQueryDto extends PageDto {
  @IsOptional()
  @IsText()
  @Length(1, 200)
  applicationIdentifier?: string;

  /** The name of an event, of whichever application. */
  @IsOptional()
  @IsText()
  @Length(1, 200)
  event?: string;
}

export class SubscriptionQueryDto extends EventQueryDto {
  @IsOptional()
  @IsUUID('loose')
  taskId?: string;
}

export class SubscriptionDto {
  id!: string;
  applicationIdentifier!: string;
  event!: string;
  taskId!: string;
  taskName!: string;
  @ApiProperty(FILTER)
  filter!: EventFilter | null;
  debounce!: SubscriptionDebounceDto | null;
  batch!: SubscriptionBatchDto | null;
  enabled!: boolean;
  /** `APP_DEFAULT`: shipped by the application. `USER`: created in this space. */
  origin!: SubscriptionOrigin;
  /** Whether the event is not registered at present. The subscription fires again once the application is back. */
  waitingForApplication!: boolean;
  createdAt!: string;
}

export class SubscriptionPageDto extends pageOf(SubscriptionDto) {}

export class FilterPreviewRequestDto extends EventReferenceDto {
  @ApiPropertyOptional(FILTER)
  @FreeForm(checkFilter)
  filter?: EventFilter;
}

class FilterPreviewItemDto {
  envelopeId!: string;
  emittedAt!: string;
  matches!: boolean;
  /** Names the first field that failed; null if the envelope matches. */
  @ApiProperty({ type: String, nullable: true, example: 'amount: 40, wanted one of [50,100]' })
  reason!: string | null;
}

export class FilterPreviewDto {
  /** The latest envelopes of the event, newest first: at most 50, and about 4 MB of payloads. */
  items!: FilterPreviewItemDto[];
  /** How many of them match. */
  matched!: number;
}

import { EVENT_WINDOWS, type EventWindow } from '@platform/contracts';
import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';

export class SummaryQueryDto {
  /** Default: 24h. */
  @IsOptional()
  @IsIn(EVENT_WINDOWS)
  @ApiProperty({ enum: EVENT_WINDOWS, required: false })
  window: EventWindow = '24h';
}

/** What became of the deliveries of events: what each subscription whose filter matched has started. */
export class DeliveryFiguresDto {
  /** Runs that are SUCCEEDED. */
  @ApiProperty({ type: 'integer' })
  succeeded!: number;
  /** Runs that are FAILED or INTERRUPTED. */
  @ApiProperty({ type: 'integer' })
  failed!: number;
  /** Deliveries that should have started a run and did not, for example because the task was disabled. */
  @ApiProperty({ type: 'integer' })
  missed!: number;
  @ApiProperty({ type: 'integer' })
  cancelled!: number;
  /** Runs that are QUEUED, RUNNING, or WAITING. */
  @ApiProperty({ type: 'integer' })
  waiting!: number;
}

class EventFiguresDto {
  @ApiProperty({ type: 'integer' })
  total!: number;
  @ApiProperty({ type: 'integer' })
  dispatched!: number;
  @ApiProperty({ type: 'integer' })
  failed!: number;
  @ApiProperty({ type: 'integer' })
  skipped!: number;
  @ApiProperty({ type: 'integer' })
  pending!: number;
  /** Of runs by the time when they were queued. */
  deliveries!: DeliveryFiguresDto;
}

export class EventBucketDto extends EventFiguresDto {
  @ApiProperty({ example: '2026-01-31T12:00:00.000Z' })
  start!: string;
}

class TopEventDto extends EventFiguresDto {
  applicationIdentifier!: string;
  event!: string;
}

class EmissionLimitDto {
  /** Events per minute that the space can emit; each process counts separately. */
  @ApiProperty({ type: 'integer', example: 30_000 })
  perMinute!: number;
  /** Events in the window that were refused with RATE_LIMITED. They are counted after a few seconds. */
  @ApiProperty({ type: 'integer' })
  refused!: number;
  lastRefusedAt!: string | null;
}

export class EventSummaryDto extends EventFiguresDto {
  window!: EventWindow;
  /** Deliveries that succeeded, divided by those that succeeded, failed, or were missed; null if there are none. */
  @ApiProperty({ type: Number, nullable: true, example: 0.998 })
  successRate!: number | null;
  /** Dispatched divided by dispatched plus failed envelopes; null if there are none. */
  @ApiProperty({ type: Number, nullable: true, example: 1 })
  dispatchRate!: number | null;
  /** Width of a bucket in seconds. Buckets start at multiples of it in UTC, and the last one is the current one. */
  @ApiProperty({ type: 'integer' })
  bucketSeconds!: number;
  buckets!: EventBucketDto[];
  emissionLimit!: EmissionLimitDto;
  /** The ten most frequent events. */
  topEvents!: TopEventDto[];
}

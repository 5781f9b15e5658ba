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
}

class EventBucketDto extends EventFiguresDto {
  @ApiProperty({ example: '2026-01-31T12:00:00.000Z' })
  start!: string;
}

class TopEventDto extends EventFiguresDto {
  applicationIdentifier!: string;
  event!: string;
}

export class EventSummaryDto extends EventFiguresDto {
  @ApiProperty({ enum: EVENT_WINDOWS })
  window!: EventWindow;
  /** Dispatched divided by dispatched plus failed; null if there are none. */
  @ApiProperty({ type: Number, nullable: true, example: 0.998 })
  successRate!: number | null;
  /** Width of a bucket in seconds. Buckets start at multiples of it in UTC, and the last one is the current one. */
  @ApiProperty({ type: 'integer' })
  bucketSeconds!: number;
  buckets!: EventBucketDto[];
  /** The ten most frequent events. */
  topEvents!: TopEventDto[];
}

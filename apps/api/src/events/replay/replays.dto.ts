import { ENVELOPE_STATUSES, REPLAY_LIMITS, type ReplayOnly } from '@platform/contracts';
import { ApiProperty, IntersectionType, PickType } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn, IsOptional, IsUUID, Length } from 'class-validator';
import { BulkPaceDto, BulkPreviewDto, BulkWorkDto } from '../../infra/bulk/bulk.dto.ts';
import { IsInstant } from '../../infra/requests/instant.ts';
import { IsText } from '../../infra/requests/text.ts';
import { EventQueryDto } from '../subscriptions/subscriptions.dto.ts';
import { pageOf } from '../../infra/responses/page-of.ts';

/** PENDING envelopes will be dispatched anyway. */
const REPLAYABLE = ENVELOPE_STATUSES.filter((status) => status !== 'PENDING');

/** The subscriptions that a replay is for: by default all that match. With both fields, those that satisfy both. */
class ReplayLimitDto {
  /**
   * `FAILED_DELIVERIES`: only subscriptions whose last delivery failed: its run is FAILED or INTERRUPTED, or none was started
   * because the task was disabled.
   */
  @IsOptional()
  @IsIn(REPLAY_LIMITS)
  only?: ReplayOnly;

  /** Only these subscriptions, at most 100. */
  @IsOptional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(100)
  @IsUUID('loose', { each: true })
  subscriptionIds?: string[];
}

export class ReplayRequestDto extends ReplayLimitDto {
  /** Identifies the request: repeating it returns the first replay. With another limit, it is refused. */
  @IsOptional()
  @IsText()
  @Length(1, 255)
  requestKey?: string;
}

export class ReplayResponseDto {
  envelopeId!: string;
  /** Counts the replays of the envelope. */
  @ApiProperty({ type: 'integer', example: 1 })
  generation!: number;
}

export class ReplayQueryDto extends IntersectionType(
  ReplayLimitDto,
  PickType(EventQueryDto, ['applicationIdentifier', 'event'] as const),
) {
  /** By default all but PENDING ones, which are dispatched anyway. */
  @IsOptional()
  @IsIn(REPLAYABLE)
  status?: (typeof REPLAYABLE)[number];

  /** Emitted at this time or later. */
  @IsInstant()
  @ApiProperty({ example: '2026-01-31T00:00:00Z' })
  from!: string;

  /** Emitted before this time. Envelopes that are recorded after the request are not replayed. */
  @IsInstant()
  @ApiProperty({ example: '2026-02-01T00:00:00Z' })
  to!: string;
}

export class CreateBulkReplayDto extends IntersectionType(ReplayQueryDto, BulkPaceDto) {}

export class ReplayPreviewDto extends BulkPreviewDto {}

class StoredReplayQueryDto {
  applicationIdentifier?: string | null;
  event?: string | null;
  status?: (typeof REPLAYABLE)[number] | null;
  from!: string;
  to!: string;
  only?: ReplayOnly | null;
  subscriptionIds?: string[] | null;
}

export class BulkReplayDto extends BulkWorkDto {
  query!: StoredReplayQueryDto;
  @ApiProperty({ type: 'integer' })
  replayed!: number;
}

export class BulkReplayPageDto extends pageOf(BulkReplayDto) {}

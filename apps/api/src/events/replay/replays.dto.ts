import {
  BULK_REPLAY_STATUSES,
  ENVELOPE_STATUSES,
  REPLAY_LIMITS,
  type BulkReplayStatus,
  type ReplayOnly,
} from '@platform/contracts';
import { ApiProperty } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsUUID,
  Length,
  Max,
  Min,
} from 'class-validator';
import { IsInstant } from '../../infra/requests/instant.ts';
import { IsText } from '../../infra/requests/text.ts';

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

export class ReplayQueryDto extends ReplayLimitDto {
  @IsOptional()
  @IsText()
  @Length(1, 200)
  applicationIdentifier?: string;

  @IsOptional()
  @IsText()
  @Length(1, 200)
  event?: string;

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

export class CreateBulkReplayDto extends ReplayQueryDto {
  /** Envelopes per second; 50 by default. */
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(1000)
  perSecond?: number;

  /** Begins although a bulk replay with the same filter and an overlapping time is running; by default that is a 409 with its id. */
  @IsOptional()
  @IsBoolean()
  alongside?: boolean;
}

export class ReplayPreviewDto {
  /** How many envelopes match, of the first `limit`. */
  @ApiProperty({ type: 'integer' })
  count!: number;
  @ApiProperty({ type: 'integer' })
  limit!: number;
  /** Whether there may be more. */
  isLimited!: boolean;
  /** The running bulk replay with the same filter and an overlapping time; null if there is none. */
  runningId!: string | null;
}

class StoredReplayQueryDto {
  applicationIdentifier?: string | null;
  event?: string | null;
  @ApiProperty({ enum: REPLAYABLE, nullable: true })
  status?: (typeof REPLAYABLE)[number] | null;
  from!: string;
  to!: string;
  @ApiProperty({ enum: REPLAY_LIMITS, nullable: true })
  only?: ReplayOnly | null;
  subscriptionIds?: string[] | null;
}

export class BulkReplayDto {
  id!: string;
  @ApiProperty({ enum: BULK_REPLAY_STATUSES })
  status!: BulkReplayStatus;
  query!: StoredReplayQueryDto;
  @ApiProperty({ type: 'integer' })
  perSecond!: number;
  /** How many envelopes match, as far as they were counted. */
  @ApiProperty({ type: 'integer' })
  total!: number;
  @ApiProperty({ type: 'integer' })
  replayed!: number;
  /** Envelopes that could not be replayed, for example because the payload violates the current schema. */
  @ApiProperty({ type: 'integer' })
  refused!: number;
  /** Why the last of them was refused. */
  lastError!: string | null;
  createdAt!: string;
  finishedAt!: string | null;
}

export class BulkReplayPageDto {
  items!: BulkReplayDto[];
  nextCursor!: string | null;
}

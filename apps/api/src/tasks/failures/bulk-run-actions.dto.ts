import {
  BULK_REPLAY_STATUSES,
  BULK_RUN_ACTIONS,
  type BulkReplayStatus,
  type BulkRunActionKind,
} from '@platform/contracts';
import { ApiProperty, OmitType } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsDefined,
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  IsUUID,
  Matches,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import { FAILURE_ID } from '../history/failure-groups.store.ts';
import { RunQueryDto } from '../history/runs.dto.ts';

/** The filter of `GET /runs`. Runs that are created after the request are not selected. */
export class RunSelectDto extends OmitType(RunQueryDto, [
  'limit',
  'cursor',
  'failure',
  'dismissed',
] as const) {
  /** Only these runs, at most 1,000. */
  @IsOptional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(1000)
  @IsUUID('all', { each: true })
  ids?: string[];

  /** Only these groups of failures, at most 100. */
  @IsOptional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(100)
  @Matches(FAILURE_ID, { each: true, message: '$property must have ids of groups of failures' })
  failures?: string[];

  /** `false`: without failures that someone has dismissed. `true`: only those. */
  @IsOptional()
  @IsBoolean()
  dismissed?: boolean;
}

export class PreviewBulkRunActionDto {
  /**
   * `retry`: runs that are FAILED or INTERRUPTED; CANCELLED ones if `select.status` says so. `cancel`: runs that have not ended.
   * `dismiss`: runs that are FAILED or INTERRUPTED and were not dismissed.
   */
  @IsIn(BULK_RUN_ACTIONS)
  @ApiProperty({ enum: BULK_RUN_ACTIONS })
  action!: BulkRunActionKind;

  @IsDefined()
  @IsObject()
  @ValidateNested()
  @Type(() => RunSelectDto)
  select!: RunSelectDto;
}

export class CreateBulkRunActionDto extends PreviewBulkRunActionDto {
  /** Runs per second; 50 by default, and 1,000 if they are dismissed. */
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(1000)
  perSecond?: number;

  /** Begins although a bulk action with the same selection is running; by default that is a 409 with its id. */
  @IsOptional()
  @IsBoolean()
  alongside?: boolean;
}

export class BulkRunActionPreviewDto {
  /** How many runs match, of the first `limit`, or of those that a bounded search has looked at. */
  @ApiProperty({ type: 'integer' })
  count!: number;
  @ApiProperty({ type: 'integer' })
  limit!: number;
  /** Whether there may be more. */
  isLimited!: boolean;
  /** The running bulk action with the same selection; null if there is none. */
  runningId!: string | null;
}

export class BulkRunActionDto {
  id!: string;
  @ApiProperty({ enum: BULK_RUN_ACTIONS })
  action!: BulkRunActionKind;
  select!: RunSelectDto;
  @ApiProperty({ enum: BULK_REPLAY_STATUSES })
  status!: BulkReplayStatus;
  /** The user who requested it. It ends if that person leaves the space. */
  requestedBy!: string;
  @ApiProperty({ type: 'integer' })
  perSecond!: number;
  /** How many runs match, as far as they were counted. */
  @ApiProperty({ type: 'integer' })
  total!: number;
  /** How many were queued again, cancelled, or dismissed. */
  @ApiProperty({ type: 'integer' })
  changed!: number;
  /** Runs that the action did not fit, for example because they have changed in the meantime. */
  @ApiProperty({ type: 'integer' })
  refused!: number;
  /** Why the last of them was refused. */
  lastError!: string | null;
  createdAt!: string;
  finishedAt!: string | null;
}

export class BulkRunActionPageDto {
  items!: BulkRunActionDto[];
  nextCursor!: string | null;
}

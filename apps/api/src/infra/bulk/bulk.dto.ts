import type { BulkReplayStatus } from '@platform/contracts';
import { ApiProperty } from '@nestjs/swagger';
import { IsBoolean, IsInt, IsOptional, Max, Min } from 'class-validator';

/** How bulk work is done. */
export class BulkPaceDto {
  /** Items per second; 50 by default, and 1,000 for runs that are dismissed. */
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(1000)
  perSecond?: number;

  /**
   * Begins although bulk work on the same selection is running, of a replay one with the same filter and an overlapping time; by
   * default that is a 409 with its id.
   */
  @IsOptional()
  @IsBoolean()
  alongside?: boolean;
}

export class BulkPreviewDto {
  /** How many items match, of the first `limit`, or of those that a bounded search has looked at. */
  @ApiProperty({ type: 'integer' })
  count!: number;
  @ApiProperty({ type: 'integer' })
  limit!: number;
  /** Whether there may be more. */
  isLimited!: boolean;
  /**
   * The bulk work on the same selection that is running, of a replay one with the same filter and an overlapping time; null if
   * there is none.
   */
  runningId!: string | null;
}

export class BulkWorkDto {
  id!: string;
  status!: BulkReplayStatus;
  @ApiProperty({ type: 'integer' })
  perSecond!: number;
  /** How many items match, as far as they were counted. */
  @ApiProperty({ type: 'integer' })
  total!: number;
  /**
   * Items that the work did not fit, for example runs that have changed in the meantime, or envelopes whose payload violates the
   * current schema.
   */
  @ApiProperty({ type: 'integer' })
  refused!: number;
  /** Why the last of them was refused. */
  lastError!: string | null;
  createdAt!: string;
  finishedAt!: string | null;
}

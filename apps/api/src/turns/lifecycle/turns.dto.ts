import { ApiProperty } from '@nestjs/swagger';
import type { CancelResponse, SegmentOrigin, TurnStatus } from '@platform/contracts';
import { IsString } from 'class-validator';
import { TokenUsageDto } from '../answers/answers.schema.ts';

export class CancelDto {
  @IsString()
  sessionId!: string;
}

export class CancelResponseDto {
  turnId!: string;
  sessionId!: string;
  /** `cancelling`: the turn still runs and will end as canceled. Otherwise the status in which the turn has ended. */
  @ApiProperty({ enum: ['cancelling', 'cancelled', 'completed', 'failed'] })
  status!: CancelResponse['status'];
}

export class TurnErrorDto {
  /** A code of the error table, or INTERRUPTED. */
  code!: string;
  message!: string;
  /** Whether the same `turnId` can be sent again to run the turn once more. */
  retryable!: boolean;
}

class TurnSegmentDto {
  segment!: number;
  @ApiProperty({ enum: ['start', 'resume', 'rerun'] })
  origin!: SegmentOrigin;
  lastSeq!: number;
  ended!: boolean;
}

export class TurnDto {
  turnId!: string;
  sessionId!: string;
  agentId!: string;
  status!: TurnStatus;
  /** Why it failed or was canceled. */
  error!: TurnErrorDto | null;
  model!: string | null;
  token_usage!: TokenUsageDto;
  createdAt!: string;
  startedAt!: string | null;
  finishedAt!: string | null;
  /** Seconds. Null while it runs. */
  execution_time!: number | null;
  segments!: TurnSegmentDto[];
}

import { ApiProperty } from '@nestjs/swagger';
import {
  SUMMARY_STATUSES,
  type CompactionResult,
  type ContextStatus,
  type SummaryStatus,
} from '@platform/contracts';
import { IsIn, IsOptional } from 'class-validator';

export class CompactQueryDto {
  /** `true`: changes nothing and tells what the sizes would be. */
  @IsOptional()
  @IsIn(['true', 'false'])
  dryRun?: string;
}

export class ContextStatusDto implements ContextStatus {
  sessionId!: string;
  usedTokens!: number;
  remainingTokens!: number;
  /** The window of the agent's model. */
  maxTokens!: number;
  /** Whether some of the tokens were counted here and not by the provider. */
  estimated!: boolean;
  /** Summaries in effect, each made of the one before it and of what came since. */
  compactionCount!: number;
  /** How the last attempt went; `failed` leaves everything else as it was. */
  @ApiProperty({ enum: SUMMARY_STATUSES })
  summaryStatus!: SummaryStatus;
  /** Messages that the model gets as they were said, behind the summary. */
  messageCount!: number;
}

export class CompactionAnswerDto extends ContextStatusDto implements CompactionResult {
  /** Whether there is a new summary: false where there was nothing to summarise, and in a dry run. */
  compacted!: boolean;
  tokensBefore!: number;
  tokensAfter!: number;
}

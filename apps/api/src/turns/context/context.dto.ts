import type { SummaryStatus } from '@platform/contracts';
import { IsIn, IsOptional } from 'class-validator';

export class CompactQueryDto {
  /** `true`: changes nothing, and returns what the sizes would be. */
  @IsOptional()
  @IsIn(['true', 'false'])
  dryRun?: string;
}

export class ContextStatusDto {
  sessionId!: string;
  usedTokens!: number;
  remainingTokens!: number;
  /** The context window of the agent's model. */
  maxTokens!: number;
  /** Whether some tokens were counted locally instead of by the provider. */
  estimated!: boolean;
  /** The number of summaries in effect. Each includes the one before it. */
  compactionCount!: number;
  /** The result of the last attempt. A failed attempt changes nothing else. */
  summaryStatus!: SummaryStatus;
  /** The messages that the model receives unchanged, after the summary. */
  messageCount!: number;
}

export class CompactionResultDto extends ContextStatusDto {
  /** Whether there is a new summary. False if there was nothing to summarize, and in a dry run. */
  compacted!: boolean;
  tokensBefore!: number;
  tokensAfter!: number;
}

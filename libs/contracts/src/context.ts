/** `running`: a compaction is under way; `failed`: the last one changed nothing. */
export const SUMMARY_STATUSES = ['none', 'ready', 'running', 'failed'] as const;
export type SummaryStatus = (typeof SUMMARY_STATUSES)[number];

/** How much of its model's context a session fills. */
export interface ContextStatus {
  sessionId: string;
  usedTokens: number;
  remainingTokens: number;
  /** The model's context window. */
  maxTokens: number;
  /** Counted locally, at least in part. */
  estimated: boolean;
  compactionCount: number;
  summaryStatus: SummaryStatus;
  messageCount: number;
}

/** What a compaction did, or would do. */
export interface CompactAnswer extends ContextStatus {
  compacted: boolean;
  tokensBefore: number;
  tokensAfter: number;
}

/** How the last attempt to summarise a context went; `failed` leaves everything else as it was. */
export const SUMMARY_STATUSES = ['none', 'ready', 'running', 'failed'] as const;
export type SummaryStatus = (typeof SUMMARY_STATUSES)[number];

/** What the model gets of a session; its history is something else and never changes. */
export interface ContextStatus {
  sessionId: string;
  usedTokens: number;
  remainingTokens: number;
  /** The window of the agent's model. */
  maxTokens: number;
  /** Whether some of the tokens were counted here and not by the provider. */
  estimated: boolean;
  /** Summaries in effect, each made of the one before it and of what came since. */
  compactionCount: number;
  summaryStatus: SummaryStatus;
  /** Messages that the model gets as they were said, behind the summary. */
  messageCount: number;
}

/** The status behind a compaction; a dry run tells the sizes that there would be. */
export interface CompactionResult extends ContextStatus {
  /** Whether there is a new summary: false where there was nothing to summarise, and in a dry run. */
  compacted: boolean;
  tokensBefore: number;
  tokensAfter: number;
}

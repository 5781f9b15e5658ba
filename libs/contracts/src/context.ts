/** Status of the latest compaction. A failed compaction changes nothing else. */
export const SUMMARY_STATUSES = ['none', 'ready', 'running', 'failed'] as const;
export type SummaryStatus = (typeof SUMMARY_STATUSES)[number];

/** What the model receives of a session. The history of the session is separate and never changes. */
export interface ContextStatus {
  sessionId: string;
  usedTokens: number;
  remainingTokens: number;
  /** The context window of the agent's model. */
  maxTokens: number;
  /** Whether some of the tokens were counted by the service instead of the provider. */
  estimated: boolean;
  /** Number of summaries in effect. Each one covers the previous summary and the messages after it. */
  compactionCount: number;
  summaryStatus: SummaryStatus;
  /** Number of messages after the summary, which the model receives verbatim. */
  messageCount: number;
}

/** The status after a compaction. For a dry run, the sizes that the compaction would produce. */
export interface CompactionResult extends ContextStatus {
  /** Whether a new summary was stored. False for a dry run, and if there was nothing to summarize. */
  compacted: boolean;
  tokensBefore: number;
  tokensAfter: number;
}

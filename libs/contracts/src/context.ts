/** Status of the latest compaction. A failed compaction changes nothing else. */
export const SUMMARY_STATUSES = ['none', 'ready', 'running', 'failed'] as const;
export type SummaryStatus = (typeof SUMMARY_STATUSES)[number];

/** Status of the latest compaction. A failed compaction changes nothing else. */
export type SummaryStatus = 'none' | 'ready' | 'running' | 'failed';

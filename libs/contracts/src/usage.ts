import type { GetUsageSummaryQuery, ListUsageEntriesQuery } from './schemas.ts';

/** What an entry was created for. `grant` adds tokens; all others use them. */
export const USAGE_SOURCES = [
  'chat',
  'execute',
  'job',
  'compaction',
  'relay',
  'task',
  'knowledge',
  'grant',
] as const;
export type UsageSource = (typeof USAGE_SOURCES)[number];

export const USAGE_WINDOWS = ['24h', '7d', '30d'] as const;
export type UsageWindow = (typeof USAGE_WINDOWS)[number];

export const USAGE_GROUPINGS = ['day', 'model', 'agent', 'user'] as const;
export type UsageGrouping = (typeof USAGE_GROUPINGS)[number];

/**
 * `OPENING` is created with the first grant of an account. It offsets earlier usage, so that the balance starts at the
 * granted amount.
 */
export const USAGE_ENTRY_KINDS = ['GRANT', 'OPENING', 'CHARGE'] as const;
export type UsageEntryKind = (typeof USAGE_ENTRY_KINDS)[number];
export type UsageEntryQuery = ListUsageEntriesQuery;
export type UsageSummaryQuery = GetUsageSummaryQuery;

/** What a space stores. */
export const STORAGE_KINDS = ['EVENTS', 'ROWS', 'KNOWLEDGE'] as const;
export type StorageKind = (typeof STORAGE_KINDS)[number];

/** What can have a quota. */
export const LIMITED_STORAGE_KINDS = ['EVENTS', 'ROWS'] as const;
export type LimitedStorageKind = (typeof LIMITED_STORAGE_KINDS)[number];

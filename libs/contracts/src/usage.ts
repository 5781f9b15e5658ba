import type { UserSummary } from './auth.ts';
import type { PageQuery } from './page.ts';

/** What an entry was created for. `grant` adds tokens; all others use them. */
export const USAGE_SOURCES = ['chat', 'execute', 'job', 'compaction', 'relay', 'task', 'grant'] as const;
export type UsageSource = (typeof USAGE_SOURCES)[number];

export const USAGE_WINDOWS = ['24h', '7d', '30d'] as const;
export type UsageWindow = (typeof USAGE_WINDOWS)[number];

export const USAGE_GROUPINGS = ['day', 'model', 'agent', 'user'] as const;
export type UsageGrouping = (typeof USAGE_GROUPINGS)[number];

export interface AccountBalance {
  /** Whether the account has ever received a grant. Without a grant there is no limit. */
  limited: boolean;
  /** Sum of the entries of the account, in tokens. */
  balance: number;
  /** Tokens reserved by running calls. A call can start while balance − held > 0. */
  held: number;
}

/** The caller's own account in the space, and the account of the space. */
export interface UsageBalance {
  user: AccountBalance;
  space: AccountBalance;
}

/**
 * `OPENING` is created with the first grant of an account. It offsets earlier usage, so that the balance starts at the
 * granted amount.
 */
export const USAGE_ENTRY_KINDS = ['GRANT', 'OPENING', 'CHARGE'] as const;
export type UsageEntryKind = (typeof USAGE_ENTRY_KINDS)[number];

export interface UsageEntry {
  id: string;
  kind: UsageEntryKind;
  /** The user who was charged or received the grant. Null for a grant to the space. */
  user: UserSummary | null;
  /** Positive for grants and openings, negative for charges. */
  tokens: number;
  cost: number;
  source: UsageSource;
  agentId: string | null;
  turnId: string | null;
  model: string | null;
  promptTokens: number;
  completionTokens: number;
  /** Prompt tokens that the provider read from its cache. */
  cachedTokens: number;
  /** Completion tokens that were used for reasoning. */
  reasoningTokens: number;
  /** The provider reported no usage, and the service counted the tokens itself. */
  estimated: boolean;
  note: string | null;
  /** The user who created the grant. */
  createdBy: UserSummary | null;
  createdAt: string;
}

export interface UsageEntryQuery extends PageQuery {
  /** For admins: restricts the result to one user. If absent, it covers the whole space. */
  userId?: string;
  source?: UsageSource;
  model?: string;
  /** ISO 8601, inclusive. */
  from?: string;
  to?: string;
}

export interface UsageSummaryQuery {
  /** Default 7d. */
  window?: UsageWindow;
  /** Default day. */
  groupBy?: UsageGrouping;
  /** For admins: restricts the result to one user. If absent, it covers the whole space. */
  userId?: string;
}

/** Totals of charges, without grants. */
export interface UsageFigures {
  /** Number of charges. */
  calls: number;
  /** Prompt tokens plus completion tokens. */
  tokens: number;
  promptTokens: number;
  completionTokens: number;
  cachedTokens: number;
  reasoningTokens: number;
  cost: number;
}

export interface UsageGroup extends UsageFigures {
  /** UTC day (2026-01-31), model, agent id, or user id. Null for usage without an agent. */
  key: string | null;
  /** Present if `groupBy` is `user`. */
  user?: UserSummary;
}

export interface UsageSummary {
  window: UsageWindow;
  groupBy: UsageGrouping;
  from: string;
  to: string;
  total: UsageFigures;
  /** By day: every day of the window in ascending order. Otherwise the 200 groups with the most tokens, largest first. */
  groups: UsageGroup[];
}

export interface GrantRequest {
  /** Id of a member. If absent, the grant goes to the space. */
  userId?: string | null;
  /** 1 to 1,000,000,000,000. */
  tokens: number;
  note?: string | null;
}

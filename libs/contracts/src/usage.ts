import type { UserSummary } from './auth.ts';
import type { PageQuery } from './page.ts';

/** What used the tokens; `grant` gave them. */
export const USAGE_SOURCES = ['chat', 'execute', 'job', 'compaction', 'relay', 'task', 'grant'] as const;
export type UsageSource = (typeof USAGE_SOURCES)[number];

export const USAGE_WINDOWS = ['24h', '7d', '30d'] as const;
export type UsageWindow = (typeof USAGE_WINDOWS)[number];

export const USAGE_GROUPINGS = ['day', 'model', 'agent', 'user'] as const;
export type UsageGrouping = (typeof USAGE_GROUPINGS)[number];

export interface AccountBalance {
  /** Whether tokens were ever granted to it; without a grant there is no limit. */
  limited: boolean;
  /** The sum of its entries, in tokens. */
  balance: number;
  /** Tokens that running calls hold; a call may start while balance − held > 0. */
  held: number;
}

/** The caller's own account in the space, and the space's. */
export interface UsageBalance {
  user: AccountBalance;
  space: AccountBalance;
}

/**
 * `OPENING` comes with the first grant of an account: it offsets what was used before, so that the balance starts at
 * the granted amount.
 */
export const USAGE_ENTRY_KINDS = ['GRANT', 'OPENING', 'CHARGE'] as const;
export type UsageEntryKind = (typeof USAGE_ENTRY_KINDS)[number];

export interface UsageEntry {
  id: string;
  kind: UsageEntryKind;
  /** Whom it was charged or granted to; null: granted to the space. */
  user: UserSummary | null;
  /** Granted and offset above zero, charged below. */
  tokens: number;
  cost: number;
  source: UsageSource;
  agentId: string | null;
  turnId: string | null;
  model: string | null;
  promptTokens: number;
  completionTokens: number;
  /** The part of the prompt that the provider had cached. */
  cachedTokens: number;
  /** The part of the completion that was reasoning. */
  reasoningTokens: number;
  /** Counted locally, for the provider gave no figures. */
  estimated: boolean;
  note: string | null;
  /** Who granted it. */
  createdBy: UserSummary | null;
  createdAt: string;
}

export interface UsageEntryQuery extends PageQuery {
  /** For admins: of one user; none: of the whole space. */
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
  /** For admins: of one user; none: of the whole space. */
  userId?: string;
}

/** What was charged; grants are not in it. */
export interface UsageFigures {
  /** Number of charges. */
  calls: number;
  /** Prompt and completion. */
  tokens: number;
  promptTokens: number;
  completionTokens: number;
  cachedTokens: number;
  reasoningTokens: number;
  cost: number;
}

export interface UsageGroup extends UsageFigures {
  /** UTC day (2026-01-31), model, agent id or user id; null: without agent. */
  key: string | null;
  /** Where grouped by user. */
  user?: UserSummary;
}

export interface UsageSummary {
  window: UsageWindow;
  groupBy: UsageGrouping;
  from: string;
  to: string;
  total: UsageFigures;
  /** Days in their order, the empty ones too; else the 200 with the most tokens, those first. */
  groups: UsageGroup[];
}

export interface GrantRequest {
  /** A member; none: the space. */
  userId?: string | null;
  /** 1 to 1,000,000,000,000. */
  tokens: number;
  note?: string | null;
}

import type { UserSummary } from './auth.ts';
import type { MessageContent, TokenUsage, Turn, TurnStatus } from './chat.ts';
import type { PageQuery } from './page.ts';

/** What started a turn. */
export const TURN_SOURCES = ['chat', 'execute', 'job', 'task'] as const;
export type TurnSource = (typeof TURN_SOURCES)[number];

export interface TurnQuery extends PageQuery {
  /** `space`: the turns of all users of the space, without their sessions; only for admins. Default: own. */
  scope?: 'own' | 'space';
  /** One user of the space; only with scope space. */
  userId?: string;
  agentId?: string;
  /** One session of the caller; requires `agentId`. */
  sessionId?: string;
  /** Turns that a run of a task caused. */
  runId?: string;
  status?: TurnStatus;
  source?: TurnSource;
  /** Name of a model. */
  model?: string;
  /** Words in the title of the session, the id of a turn, or the name of a session; not with scope space. */
  search?: string;
  /** ISO 8601, inclusive. */
  from?: string;
  /** ISO 8601, inclusive. */
  to?: string;
}

/** A turn in figures. */
export interface TurnListing {
  /** Identifies the turn in the list. */
  id: string;
  turnId: string;
  agentId: string;
  user: UserSummary | null;
  /** The session of the caller's own turn; null for the turns of others. */
  session: { sessionId: string; title: string; isListed: boolean } | null;
  source: TurnSource | null;
  status: TurnStatus;
  errorCode: string | null;
  model: string;
  token_usage: TokenUsage;
  createdAt: string;
  startedAt: string | null;
  finishedAt: string | null;
  /** Seconds; null while the turn runs. */
  execution_time: number | null;
}

export const SPAN_KINDS = ['queue', 'search', 'model', 'tool', 'question'] as const;
export type SpanKind = (typeof SPAN_KINDS)[number];

export const SPAN_STATUSES = ['running', 'waiting', 'succeeded', 'failed', 'denied', 'cancelled'] as const;
export type SpanStatus = (typeof SPAN_STATUSES)[number];

/** A part of the time of a turn. */
export interface TraceSpan {
  id: string;
  kind: SpanKind;
  /** The model, the tool and its method, the question, or the text that was searched. */
  name: string;
  status: SpanStatus;
  startedAt: string;
  /** Milliseconds; null while it runs. */
  durationMs: number | null;
  /** Of a model call: milliseconds until its first output. */
  firstTokenMs?: number;
  /** Of a model call. */
  token_usage?: TokenUsage;
  /** Prompt tokens that the provider read from its cache, and completion tokens for reasoning. */
  cachedTokens?: number;
  reasoningTokens?: number;
  /** The arguments of a tool call, or the options of a question. */
  input?: unknown;
  /** The text and the tool calls of a model, the result of a tool, the answer to a question, or the KnowledgeEvidence of a search. */
  output?: unknown;
  /** Input or output was shortened. */
  truncated?: boolean;
  error?: { code: string; message: string };
}

/** A turn with what happened in it, in the order in which it began. */
export interface Trace extends Turn {
  /** Why it failed or was cancelled. `detail`: what the model's server said, for the owner of the agent and admins. */
  error: (NonNullable<Turn['error']> & { detail?: string }) | null;
  source: TurnSource | null;
  /** The run of a task that caused the turn. */
  runId: string | null;
  /** Whether its session is in the list of sessions. */
  sessionListed: boolean;
  /** The text of the user message. */
  input: string;
  /** Images, audio, and files of the user message. */
  attachments: MessageContent[];
  spans: TraceSpan[];
}

import type { Interaction, KnowledgeEvidence, TokenUsage, ToolExecution } from './schemas.ts';
import type { ErrorCode } from './errors.ts';

export const STREAM_PROTOCOL_HEADER = 'X-Platform-Stream-Protocol';

export const STREAM_PROTOCOL = 'langgraph-v3';

export const FRAME_METHODS = ['custom:platform', 'messages', 'tools', 'lifecycle', 'input'] as const;
export type FrameMethod = (typeof FRAME_METHODS)[number];

/** Maps the names of product events in the client library to their names on the wire (`params.data.event`). */
export const WIRE_EVENT = {
  'session.started': 'session-started',
  'content.delta': 'content-delta',
  'tool.execution': 'tool-execution',
  'knowledge.evidence': 'knowledge-evidence',
  'agent.input.required': 'agent-input-required',
  'local.tool.call': 'local-tool-call',
  'context.usage': 'context-usage',
  'response.completed': 'response-completed',
  'turn.persist_pending': 'turn-persist-pending',
  'error.occurred': 'error-occurred',
  'stream.ended': 'stream-ended',
} as const;
export type ProductEventName = keyof typeof WIRE_EVENT;
export type WireEventName = (typeof WIRE_EVENT)[ProductEventName];

/** The inverse of `WIRE_EVENT`. */
export const PRODUCT_EVENT = Object.fromEntries(
  Object.entries(WIRE_EVENT).map(([name, wire]) => [wire, name]),
) as {
  [W in WireEventName]: {
    [N in ProductEventName]: (typeof WIRE_EVENT)[N] extends W ? N : never;
  }[ProductEventName];
};

/** Why a response ended. `length`: the model reached its output limit. */
export type FinishReason = 'completed' | 'input_required' | 'cancelled' | 'length';

/** The fields of each product event. */
export interface ProductEventFields {
  'session.started': {
    sessionId: string;
    turnId: string;
    segment: number;
    agentId: string;
    model: string;
    requestId: string | null;
    resumed: boolean;
  };
  'content.delta': { delta: string };
  'tool.execution': ToolExecution;
  'knowledge.evidence': KnowledgeEvidence;
  'agent.input.required': { interaction: Interaction };
  'local.tool.call': {
    callId: string;
    tool: string;
    arguments: Record<string, unknown>;
    timeoutMs: number;
  };
  'context.usage': { usedTokens: number; remainingTokens: number; maxTokens: number; estimated: boolean };
  'response.completed': {
    session_id: string;
    turnId: string;
    messageId: string | null;
    tokens_used: number;
    /** Seconds. */
    execution_time: number;
    token_usage: TokenUsage;
    finishReason: FinishReason;
  };
  'turn.persist_pending': { turnId: string; attempt: number };
  'error.occurred': {
    code: ErrorCode | 'INTERRUPTED';
    message: string;
    turnId: string;
    requestId: string | null;
    retryable: boolean;
    /** Seconds to wait before a retry; only if the provider specified it. */
    retryAfter?: number;
  };
  'stream.ended': { lastSeq: number };
}

/** A product event of the client library: its name and its fields. */
export type ProductEvent = {
  [N in ProductEventName]: { event: N } & ProductEventFields[N];
}[ProductEventName];

/** The content of one `data:` line. `seq` counts from 1 within a segment, without gaps. */
export interface Frame<Data = unknown> {
  type: 'event';
  method: FrameMethod;
  params: {
    /** Empty at the root. */
    namespace: string[];
    /** Milliseconds since the epoch. */
    timestamp: number;
    data: Data;
  };
  seq: number;
}

/** Maximum size of a frame. Longer values are truncated and marked `truncated`. */
export const MAX_FRAME_BYTES = 32 * 1024;

/** What the stream of changes tells about. */
export const CHANGE_KINDS = [
  'agent',
  'bulk-replay',
  'bulk-run-action',
  'document',
  'embedding',
  'envelope',
  'job',
  'notification',
  'question',
  'run',
  'source',
  'subscription',
  'task',
  'tool',
  'turn',
  'webhook-delivery',
] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** One event of `GET /api/changes`. */
export type ChangeEvent =
  /** The stream does not continue where the reader was: whatever was read before may be outdated. */
  | { kind: 'reset' }
  | {
      kind: ChangeKind;
      /** Null: so much of this kind has changed that each is not told. */
      id: string | null;
      /** Null if it has none, and if `id` is null. `DELETED` for what was deleted. */
      status: string | null;
    };

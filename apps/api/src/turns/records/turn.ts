import type { SegmentOrigin, TurnStatus } from '@platform/contracts';
import type { ChargeSource } from '../../usage/charge.ts';

/** The request of a turn, stored for its reruns. */
export interface TurnSettings {
  /** The name of the model that the request asked for; absent for that of the agent. */
  model?: string;
  temperature?: number;
  maxTokens?: number;
  topP?: number;
  frequencyPenalty?: number;
  presencePenalty?: number;
  chatMode: 'ask' | 'agent';
  disableWebSearch: boolean;
  /** Whether to search the documents of the space, or the web; absent in turns of earlier versions. */
  knowledge?: boolean;
  internet?: boolean;
  /** Whether an execution reads and writes its session. */
  memory?: boolean;
  registeredLocalTools: string[];
  /** Whether a client can answer questions and run local tools. */
  interactive: boolean;
  /** The source in the ledger. */
  source: Extract<ChargeSource, 'chat' | 'execute' | 'job' | 'task'>;
  /** Values for the variables of the agent's prompt. */
  variables: Record<string, unknown>;
  /** The span of the caller that the turn is part of, as W3C writes it. */
  traceparent?: string;
}

export interface TurnFailure {
  code: string;
  message: string;
  retryable: boolean;
  /** Seconds. */
  retryAfter?: number;
  /** What the model's server said; only for those who manage the agent. */
  detail?: string;
}

export interface TurnRow {
  id: string;
  spaceId: string;
  agentId: string;
  userId: string;
  turnId: string;
  sessionRef: string;
  sessionName: string;
  sessionDeleted: boolean;
  /** Whether the content of the session is deleted some days after its last turn. */
  sessionExpires: boolean;
  /** Its position in the session, starting at 1. */
  n: number;
  status: TurnStatus;
  contentsHash: Buffer;
  /** `loadSettings` reads the rest of the request. */
  settings: Pick<TurnSettings, 'source'>;
  /** The run whose step started it, or null. */
  causationRunId: string | null;
  error: TurnFailure | null;
  /** The reservation for its current model call. */
  reservationId: string | null;
  model: string;
  promptTokens: number;
  completionTokens: number;
  cost: number;
  estimated: boolean;
  executionMs: number;
  createdAt: Date;
  startedAt: Date | null;
  finishedAt: Date | null;
}

export interface SegmentRow {
  segment: number;
  origin: SegmentOrigin;
  streamId: string;
}

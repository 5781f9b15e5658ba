import type {
  ChatResponse,
  ChatSettings,
  ContentItem,
  ExecuteResponse,
  ExecuteInputs,
  ExecuteSettings,
} from './chat.ts';
import type { PageQuery } from './page.ts';

export const JOB_STATUSES = [
  'QUEUED',
  'RUNNING',
  'INPUT_REQUIRED',
  'COMPLETED',
  'FAILED',
  'CANCELLED',
  'TIMED_OUT',
] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

export const JOB_PHASES = [
  'queued',
  'starting',
  'thinking',
  'using-tools',
  'answering',
  'waiting-for-input',
  'finished',
] as const;
export type JobPhase = (typeof JOB_PHASES)[number];

interface JobOptions {
  agentId: string;
  type?: 'AGENT_INVOKE' | null;
  /** UUID, one per user turn. If absent, the service generates one. */
  turnId?: string | null;
  /** The name of a model of the space, in place of the agent's; only for the owner of the agent and admins. */
  model?: string | null;
  /** Milliseconds until the job times out: 1 s to 24 h, default 1 h. `timeout` is an alias. */
  timeoutMs?: number | null;
  timeout?: number | null;
  /** At most 255 characters. Repeating a key returns the first job. Can also be sent as the header `Idempotency-Key`. */
  idempotencyKey?: string | null;
  /** Receives a request when the job ends or asks a question. */
  webhook?: { url: string } | null;
  /** Both spellings are accepted. */
  sessionId?: string | null;
  session_id?: string | null;
}

/** The input of a chat or of an execution. */
export type JobInput =
  | { contents: ContentItem[]; settings?: ChatSettings | null }
  | { inputs: ExecuteInputs; settings?: ExecuteSettings | null };

export type CreateJobRequest = JobOptions & JobInput;

/** An agent invocation that runs in the background. */
export interface Job {
  id: string;
  type: 'AGENT_INVOKE';
  agentId: string;
  status: JobStatus;
  phase: JobPhase;
  /** 0 to 100; never decreases. */
  progress: number;
  sessionId: string;
  turnId: string;
  /**
   * Present when the turn has ended or waits for input, but not in lists. A chat response for `contents`, an execute
   * response for `inputs`.
   */
  result?: ChatResponse | ExecuteResponse;
  error?: { code: string; message: string };
  createdAt: string;
  startedAt: string | null;
  finishedAt: string | null;
}

export interface JobQuery extends PageQuery {
  status?: JobStatus;
  agentId?: string;
}

/** The events that are sent to webhooks: a job has ended, or it asks a question. */
export const WEBHOOK_TYPES = [
  'agent-job.completed',
  'agent-job.failed',
  'agent-job.cancelled',
  'agent-job.timed-out',
  'agent-job.input-required',
] as const;
export type WebhookType = (typeof WEBHOOK_TYPES)[number];

/**
 * The body of a webhook request. It is signed according to Standard Webhooks (`webhook-id`, `webhook-timestamp`,
 * `webhook-signature`).
 */
export interface WebhookMessage {
  type: WebhookType;
  /** When the event occurred. */
  timestamp: string;
  /** The job at that time, including its result. */
  data: Job;
}

/** Status of the secret that signs the webhooks of a space. */
export interface WebhookSecretStatus {
  configured: boolean;
  createdAt: string | null;
}

/** A new secret. It is returned only here. */
export interface WebhookSecret {
  /** `whsec_` followed by base64. */
  secret: string;
  createdAt: string;
  /** Until then, requests are also signed with the previous secret. Null if there was none. */
  previousUntil: string | null;
}

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
  /** UUID, one per user turn; none: made by the service. */
  turnId?: string | null;
  /** Milliseconds until the job is given up: 1 s to 24 h, default 1 h. `timeout` says the same. */
  timeoutMs?: number | null;
  timeout?: number | null;
  /** At most 255 characters; the same key gets the first job. Also as header `Idempotency-Key`. */
  idempotencyKey?: string | null;
  /** Told when the job ends. */
  webhook?: { url: string } | null;
  /** Both spellings are taken. */
  sessionId?: string | null;
  session_id?: string | null;
}

/** What a chat takes, or what an execution takes. */
export type JobInput =
  | { contents: ContentItem[]; settings?: ChatSettings | null }
  | { inputs: ExecuteInputs; settings?: ExecuteSettings | null };

export type CreateJobRequest = JobOptions & JobInput;

/** An agent invocation that runs on its own. */
export interface Job {
  id: string;
  type: 'AGENT_INVOKE';
  agentId: string;
  status: JobStatus;
  phase: JobPhase;
  /** 0 to 100, never back. */
  progress: number;
  sessionId: string;
  turnId: string;
  /** What the turn said, once it has ended or waits for input: a chat's answer for `contents`, an execution's for `inputs`. Not in lists. */
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

/** What a webhook is told of: the ends of a job, and its questions. */
export const WEBHOOK_TYPES = [
  'agent-job.completed',
  'agent-job.failed',
  'agent-job.cancelled',
  'agent-job.timed-out',
  'agent-job.input-required',
] as const;
export type WebhookType = (typeof WEBHOOK_TYPES)[number];

/** The body of a webhook call; signed as Standard Webhooks says (`webhook-id`, `webhook-timestamp`, `webhook-signature`). */
export interface WebhookMessage {
  type: WebhookType;
  /** When it came about. */
  timestamp: string;
  /** The job as it stood then, with its result. */
  data: Job;
}

/** What is told of the secret that signs the webhooks of a space. */
export interface WebhookSecretStatus {
  configured: boolean;
  createdAt: string | null;
}

/** A new secret; shown this once. */
export interface WebhookSecret {
  /** `whsec_` and base64. */
  secret: string;
  createdAt: string;
  /** Until then calls are signed with the secret before it too; null: there was none. */
  previousUntil: string | null;
}

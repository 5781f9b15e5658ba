import type { ContentsJobRequest, InputsJobRequest, Job, ListJobsQuery } from './schemas.ts';

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

/** The input of a chat or of an execution. */
export type JobInput =
  Pick<ContentsJobRequest, 'contents' | 'settings'> | Pick<InputsJobRequest, 'inputs' | 'settings'>;

export type CreateJobRequest = ContentsJobRequest | InputsJobRequest;
export type JobQuery = ListJobsQuery;

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

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

export type JobPhase =
  'queued' | 'starting' | 'thinking' | 'using-tools' | 'answering' | 'waiting-for-input' | 'finished';

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

export const WEBHOOK_DELIVERY_STATUSES = ['PENDING', 'DELIVERED', 'FAILED'] as const;
export type WebhookDeliveryStatus = (typeof WEBHOOK_DELIVERY_STATUSES)[number];

/**
 * What became of an attempt. REFUSED: the response was not 2xx. SERVICE_ERROR: the service failed to send, for example because
 * it could not open the secret. INTERRUPTED: the process that made it ended before it knew, so the server may have the message.
 */
export type WebhookAttemptOutcome =
  'RUNNING' | 'ACCEPTED' | 'REFUSED' | 'NO_RESPONSE' | 'SERVICE_ERROR' | 'INTERRUPTED';

/** The body of a test message, which is signed like all others. */
export interface WebhookTestMessage {
  type: 'webhook.test';
  timestamp: string;
  data: { spaceId: string };
}

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

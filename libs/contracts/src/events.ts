import type { Envelope, EventBucket, ListEnvelopesQuery, ListSubscriptionsQuery } from './schemas.ts';

export const ENVELOPE_STATUSES = ['PENDING', 'DISPATCHED', 'SKIPPED', 'FAILED'] as const;

/** `PENDING`: not dispatched yet. `SKIPPED`: stopped by the loop guard. `FAILED`: could not be delivered; no run exists. */
export type EnvelopeStatus = (typeof ENVELOPE_STATUSES)[number];

export const ENVELOPE_OUTCOMES = ['FAILED', 'WAITING', 'SUCCEEDED'] as const;

/** What became of the last delivery to each subscription. */
export type EnvelopeOutcome = (typeof ENVELOPE_OUTCOMES)[number];

/** Why an envelope was skipped or has failed. */
export type EnvelopeReason = NonNullable<Envelope['statusReason']>;

/**
 * Each field must equal the payload's field of the same name; an array means one of its members. `{}` and no filter match
 * every payload.
 */
export type EventFilter = Record<string, unknown>;

export type SubscriptionOrigin = 'APP_DEFAULT' | 'USER';
export type SubscriptionQuery = ListSubscriptionsQuery;

export type VerdictOutcome =
  | 'MATCHED'
  | 'DEBOUNCED'
  | 'BATCHED'
  | 'FILTER_MISMATCH'
  | 'FILTER_ERROR'
  | 'DISABLED'
  | 'TASK_DISABLED'
  | 'CREATED_AFTER_EMISSION'
  | 'LEFT_OUT';

/** What was stored for a subscription that matched. RUN_SHARED: its run can be that of other events as well. */
export type DeliveryOutcome = 'RUN_CREATED' | 'RUN_SHARED' | 'TASK_DISABLED';
export type EnvelopeQuery = ListEnvelopesQuery;

export const REPLAY_LIMITS = ['FAILED_DELIVERIES'] as const;

/** `FAILED_DELIVERIES`: only subscriptions whose last delivery failed: its run is FAILED or INTERRUPTED, or none was started. */
export type ReplayOnly = (typeof REPLAY_LIMITS)[number];

export type BulkReplayStatus = 'RUNNING' | 'COMPLETED' | 'STOPPED' | 'FAILED';

export const EVENT_WINDOWS = ['1h', '24h', '7d', '30d'] as const;
export type EventWindow = (typeof EVENT_WINDOWS)[number];
export type EventFigures = Omit<EventBucket, 'start'>;

/** What the platform tells a space about. Each is also an event of the application `platform`. */
export const NOTIFICATION_EVENTS = [
  'run.failed',
  'task.failing',
  'task.disabled',
  'question.waiting',
  'subscription.silent',
  'balance.low',
  'webhook.failing',
] as const;
export type NotificationEvent = (typeof NOTIFICATION_EVENTS)[number];

/** From the least to the most important. */
export const NOTIFICATION_SEVERITIES = ['info', 'warning', 'error'] as const;
export type NotificationSeverity = (typeof NOTIFICATION_SEVERITIES)[number];

export const NOTIFICATION_CHANNEL_KINDS = [
  'webhook',
  'email',
  'slack',
  'feishu',
  'dingtalk',
  'wecom',
] as const;
export type NotificationChannelKind = (typeof NOTIFICATION_CHANNEL_KINDS)[number];

/** How the connection to a mail server is encrypted. */
export const SMTP_SECURITIES = ['tls', 'starttls', 'none'] as const;
export type SmtpSecurity = (typeof SMTP_SECURITIES)[number];

/** PENDING: it waits for its time, or for another attempt. FAILED: it was given up. */
export const NOTIFICATION_DELIVERY_STATUSES = ['PENDING', 'DELIVERED', 'FAILED'] as const;
export type NotificationDeliveryStatus = (typeof NOTIFICATION_DELIVERY_STATUSES)[number];

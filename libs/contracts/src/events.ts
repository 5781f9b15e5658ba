import type { JsonSchema } from './json-schema.ts';
import type { PageQuery } from './page.ts';
import type { EventSource, RunStatus } from './tasks.ts';

export const ENVELOPE_STATUSES = ['PENDING', 'DISPATCHED', 'SKIPPED', 'FAILED'] as const;
/** `PENDING`: not dispatched yet. `SKIPPED`: stopped by the loop guard. `FAILED`: could not be delivered; no run exists. */
export type EnvelopeStatus = (typeof ENVELOPE_STATUSES)[number];

/** Why an envelope was skipped or has failed. */
export type EnvelopeReason =
  'SAME_EVENT_LOOP' | 'DEPTH_LIMIT' | 'PAYLOAD_SCHEMA' | 'DISPATCH_ATTEMPTS_EXHAUSTED' | 'PAYLOAD_UNREADABLE';

export interface EmitRequest {
  /** The identifier of the calling application. */
  appIdentifier: string;
  event: string;
  payload: Record<string, unknown>;
  /** At most 255 characters. Emitting again with the same key records nothing. */
  idempotencyKey?: string | null;
}

export interface EmitResponse {
  envelopeId: string;
  status: EnvelopeStatus;
  /** Whether the key was used before; the envelope is then the first one. */
  duplicate: boolean;
  /** False if the key was used before with a different payload. */
  samePayload: boolean;
  emittedAt: string;
}

export interface CatalogEvent {
  name: string;
  description: string;
  payloadSchema: JsonSchema;
}

export interface CatalogApplication {
  applicationIdentifier: string;
  name: string;
  events: CatalogEvent[];
}

export interface TestEmissionRequest {
  payload: Record<string, unknown>;
}

/**
 * Each field must equal the payload's field of the same name; an array means one of its members. `{}` and no filter match
 * every payload.
 */
export type EventFilter = Record<string, unknown>;

export const SUBSCRIPTION_ORIGINS = ['APP_DEFAULT', 'USER'] as const;
export type SubscriptionOrigin = (typeof SUBSCRIPTION_ORIGINS)[number];

export interface Subscription {
  id: string;
  applicationIdentifier: string;
  event: string;
  taskId: string;
  taskName: string;
  filter: EventFilter | null;
  enabled: boolean;
  origin: SubscriptionOrigin;
  /** Whether the event is not registered at present; it fires again once the application is back. */
  waitingForApplication: boolean;
  createdAt: string;
}

export interface CreateSubscriptionRequest {
  applicationIdentifier: string;
  event: string;
  taskId: string;
  filter?: EventFilter | null;
  enabled?: boolean | null;
}

export interface UpdateSubscriptionRequest {
  /** Null removes the filter. */
  filter?: EventFilter | null;
  enabled?: boolean | null;
}

export interface SubscriptionQuery extends PageQuery {
  applicationIdentifier?: string;
  event?: string;
  taskId?: string;
}

export interface FilterPreviewRequest {
  applicationIdentifier: string;
  event: string;
  filter?: EventFilter | null;
}

export interface FilterPreviewItem {
  envelopeId: string;
  emittedAt: string;
  matches: boolean;
  /** Names the first field that failed, such as "amount: 40, wanted one of [50,100]"; null if it matches. */
  reason: string | null;
}

export interface FilterPreview {
  /** The latest envelopes of the event, newest first. */
  items: FilterPreviewItem[];
  matched: number;
}

export const VERDICT_OUTCOMES = [
  'MATCHED',
  'FILTER_MISMATCH',
  'FILTER_ERROR',
  'DISABLED',
  'TASK_DISABLED',
  'CREATED_AFTER_EMISSION',
] as const;
export type VerdictOutcome = (typeof VERDICT_OUTCOMES)[number];

/** What a subscription made of an envelope. */
export interface SubscriptionVerdict {
  subscriptionId: string;
  taskId: string;
  outcome: VerdictOutcome;
  reason: string | null;
}

/** What was stored for a subscription that matched. */
export type DeliveryOutcome = 'RUN_CREATED' | 'TASK_DISABLED';

/** An envelope in the log. */
export interface Envelope {
  id: string;
  applicationIdentifier: string;
  event: string;
  status: EnvelopeStatus;
  statusReason: EnvelopeReason | null;
  source: EventSource;
  payload: Record<string, unknown>;
  matchedCount: number;
  /** Counts replays. */
  generation: number;
  depth: number;
  emittedAt: string;
  dispatchedAt: string | null;
}

export interface EnvelopeQuery extends PageQuery {
  status?: EnvelopeStatus;
  event?: string;
  applicationIdentifier?: string;
  /** ISO 8601, inclusive. */
  from?: string;
  /** ISO 8601, exclusive. */
  to?: string;
}

export interface EnvelopeRun {
  runId: string;
  taskId: string;
  taskName: string;
  subscriptionId: string;
  status: RunStatus;
  createdAt: string;
  finishedAt: string | null;
}

/** One dispatch of an envelope: its emission, or a replay. */
export interface EnvelopeGeneration {
  generation: number;
  requestedBy: string | null;
  requestedAt: string;
  status: EnvelopeStatus;
  statusReason: EnvelopeReason | null;
  matchedCount: number;
  dispatchedAt: string | null;
  /** At most 200 are stored. If there are more, they are computed now, with the subscriptions as they are: see `asOf`. */
  verdicts: SubscriptionVerdict[];
  /** When the verdicts were computed, if not at the dispatch. */
  asOf: string | null;
  runs: EnvelopeRun[];
}

/** One event in the tree of events that a first emission has caused. */
export interface CausationNode {
  envelopeId: string;
  event: string;
  status: EnvelopeStatus;
  statusReason: EnvelopeReason | null;
  depth: number;
  causationId: string | null;
  emittedAt: string;
}

export interface EnvelopeDetail extends Envelope {
  idempotencyKey: string | null;
  actorUserId: string | null;
  causationId: string | null;
  causationRunId: string | null;
  lastError: string | null;
  /** Newest first. */
  generations: EnvelopeGeneration[];
  /** The events of the same first emission, oldest first; at most 200. */
  causation: CausationNode[];
}

export interface ReplayRequest {
  /** At most 255 characters. Repeating a key returns the first replay. */
  requestKey?: string | null;
}

export interface ReplayResponse {
  envelopeId: string;
  generation: number;
}

/** Which envelopes a bulk replay replays. */
export interface ReplayQuery {
  applicationIdentifier?: string | null;
  event?: string | null;
  status?: EnvelopeStatus | null;
  /** ISO 8601, inclusive. */
  from: string;
  /** ISO 8601, exclusive. */
  to: string;
}

export interface ReplayPreview {
  /** How many envelopes match, counted up to `limit`. */
  count: number;
  limit: number;
  isLimited: boolean;
}

export interface CreateBulkReplayRequest extends ReplayQuery {
  /** Envelopes per second: 1 to 1,000, default 50. */
  perSecond?: number | null;
}

export const BULK_REPLAY_STATUSES = ['RUNNING', 'COMPLETED', 'STOPPED', 'FAILED'] as const;
export type BulkReplayStatus = (typeof BULK_REPLAY_STATUSES)[number];

export interface BulkReplay {
  id: string;
  status: BulkReplayStatus;
  query: ReplayQuery;
  perSecond: number;
  total: number;
  replayed: number;
  /** Envelopes that could not be replayed, for example because the payload violates the current schema. */
  refused: number;
  lastError: string | null;
  createdAt: string;
  finishedAt: string | null;
}

export const EVENT_WINDOWS = ['1h', '24h', '7d', '30d'] as const;
export type EventWindow = (typeof EVENT_WINDOWS)[number];

export interface EventFigures {
  total: number;
  dispatched: number;
  failed: number;
  skipped: number;
  pending: number;
}

export interface EventSummary extends EventFigures {
  window: EventWindow;
  /** Dispatched divided by dispatched plus failed; null if there are none. */
  successRate: number | null;
  /** Width of a bucket in seconds. Buckets start at multiples of it in UTC. */
  bucketSeconds: number;
  buckets: (EventFigures & { start: string })[];
  /** The ten most frequent events. */
  topEvents: (EventFigures & { applicationIdentifier: string; event: string })[];
}

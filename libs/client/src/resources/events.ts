import type {
  BulkReplay,
  CatalogApplication,
  CreateBulkReplayRequest,
  CreateSubscriptionRequest,
  EmitBatchResponse,
  EmitRequest,
  EmitResponse,
  Envelope,
  EnvelopeDetail,
  EnvelopePage,
  EnvelopeQuery,
  EnvelopeVolume,
  EventSummary,
  EventWindow,
  FilterPreview,
  FilterPreviewRequest,
  GetEnvelopeVolumeQuery,
  ReplayPreview,
  ReplayQuery,
  ReplayRequest,
  ReplayResponse,
  Subscription,
  SubscriptionQuery,
  TestEmissionRequest,
  UpdateSubscriptionRequest,
} from '@platform/contracts';
import { EmitCollector, hasKey } from '../emit-collector.ts';
import type { ApiPromise, PagePromise } from '../api-promise.ts';
import type { HttpClient, RequestOptions } from '../http.ts';
import type { Timer } from '../timer.ts';
import { path } from '../url.ts';

const EMIT_BATCH = '/api/events/emit-batch';
const SUBSCRIPTIONS = '/api/events/subscriptions';
const REPLAYS = '/api/events/replays';

/** Emits an event. With an `idempotencyKey` the request is retried, because a repeated key records nothing. */
export function sendEvent(
  http: HttpClient,
  event: EmitRequest,
  options?: RequestOptions,
): ApiPromise<EmitResponse> {
  return http.json({
    ...options,
    method: 'POST',
    path: '/api/events/emit',
    body: event,
    idempotent: hasKey(event),
  });
}

/** The event bus: catalog, subscriptions, and the log. Everything except the catalog is only for admins. */
export class EventsResource {
  private readonly http: HttpClient;
  private readonly collector: EmitCollector | null;

  /** With `batchTimer`, `emit` collects events into batches. */
  constructor(http: HttpClient, batchTimer: Timer | null) {
    this.http = http;
    const send = (json: string, idempotent: boolean) =>
      http.json<EmitBatchResponse>({ method: 'POST', path: EMIT_BATCH, json, idempotent });
    this.collector = batchTimer && new EmitCollector(send, batchTimer);
  }

  /**
   * Emits an event. Needs the system key of the application as the client's credential. With an `idempotencyKey` the
   * request is retried, because a repeated key records nothing. If the client has `batchEmits`, events without `options`
   * share requests.
   */
  emit(event: EmitRequest, options?: RequestOptions): Promise<EmitResponse> {
    if (this.collector !== null && options === undefined) return this.collector.emit(event);
    return sendEvent(this.http, event, options);
  }

  /**
   * Emits 1 to 500 events. The items of the response are in the same order: the envelope of each event, or its error, which
   * has a `code`. If all have an `idempotencyKey`, the request is retried.
   */
  emitBatch(events: EmitRequest[], options?: RequestOptions): ApiPromise<EmitBatchResponse> {
    const idempotent = events.every(hasKey);
    return this.http.json({ ...options, method: 'POST', path: EMIT_BATCH, body: { events }, idempotent });
  }

  /** With `batchEmits`: sends the events that wait, and resolves when each has its outcome. Call it before the process exits. */
  async flush(): Promise<void> {
    await this.collector?.flush();
  }

  /** Returns the registered events of all installed applications. */
  catalog(options?: RequestOptions): ApiPromise<CatalogApplication[]> {
    return this.http.get('/api/events/catalog', {}, options);
  }

  /** Emits one event with the source `system`. Its subscriptions fire. With an `idempotencyKey` the request is retried. */
  emitTest(
    applicationIdentifier: string,
    event: string,
    emission: TestEmissionRequest,
    options?: RequestOptions,
  ): ApiPromise<EmitResponse> {
    return this.http.json({
      ...options,
      method: 'POST',
      path: path`/api/events/catalog/${applicationIdentifier}/${event}/test`,
      body: emission,
      idempotent: hasKey(emission),
    });
  }

  subscriptions(query: SubscriptionQuery = {}, options?: RequestOptions): PagePromise<Subscription> {
    return this.http.list(SUBSCRIPTIONS, { ...query }, options);
  }

  subscription(id: string, options?: RequestOptions): ApiPromise<Subscription> {
    return this.http.get(path`/api/events/subscriptions/${id}`, {}, options);
  }

  createSubscription(
    subscription: CreateSubscriptionRequest,
    options?: RequestOptions,
  ): ApiPromise<Subscription> {
    return this.http.post(SUBSCRIPTIONS, subscription, options);
  }

  updateSubscription(
    id: string,
    changes: UpdateSubscriptionRequest,
    options?: RequestOptions,
  ): ApiPromise<Subscription> {
    return this.http.patch(path`/api/events/subscriptions/${id}`, changes, options);
  }

  deleteSubscription(id: string, options?: RequestOptions): ApiPromise<void> {
    return this.http.delete(path`/api/events/subscriptions/${id}`, options);
  }

  /** Returns which of the latest envelopes a filter matches, and which field failed. Changes nothing. */
  previewFilter(request: FilterPreviewRequest, options?: RequestOptions): ApiPromise<FilterPreview> {
    return this.http.postIdempotent(`${SUBSCRIPTIONS}/preview`, request, options);
  }

  /** Lists envelopes, newest first. */
  envelopes(query: EnvelopeQuery = {}, options?: RequestOptions): PagePromise<Envelope, EnvelopePage> {
    return this.http.list('/api/events/envelopes', { ...query }, options);
  }

  /** Counts the envelopes of a time by bucket and status; by default, of the last 24 hours. */
  volume(query: GetEnvelopeVolumeQuery = {}, options?: RequestOptions): ApiPromise<EnvelopeVolume> {
    return this.http.get('/api/events/envelopes/volume', { ...query }, options);
  }

  /** Returns an envelope with its verdicts, runs, replays, and the events that it caused. */
  envelope(id: string, options?: RequestOptions): ApiPromise<EnvelopeDetail> {
    return this.http.get(path`/api/events/envelopes/${id}`, {}, options);
  }

  /** Dispatches an envelope again. With a `requestKey` the request is retried: it returns the first replay. */
  replay(
    envelopeId: string,
    request: ReplayRequest = {},
    options?: RequestOptions,
  ): ApiPromise<ReplayResponse> {
    const hasKey = request.requestKey !== undefined && request.requestKey !== null;
    return this.http.json({
      ...options,
      method: 'POST',
      path: path`/api/events/envelopes/${envelopeId}/replay`,
      body: request,
      idempotent: hasKey,
    });
  }

  /** Erases the payload of an envelope for good, and what its runs were given, returned, and logged. */
  erasePayload(envelopeId: string, options?: RequestOptions): ApiPromise<EnvelopeDetail> {
    return this.http.postIdempotent(
      path`/api/events/envelopes/${envelopeId}/erase-payload`,
      undefined,
      options,
    );
  }

  /** Counts the envelopes that a bulk replay would replay. */
  previewBulkReplay(query: ReplayQuery, options?: RequestOptions): ApiPromise<ReplayPreview> {
    return this.http.postIdempotent(`${REPLAYS}/preview`, query, options);
  }

  /** Starts a bulk replay. `bulkReplay` returns its progress. */
  createBulkReplay(replay: CreateBulkReplayRequest, options?: RequestOptions): ApiPromise<BulkReplay> {
    return this.http.post(REPLAYS, replay, options);
  }

  bulkReplay(id: string, options?: RequestOptions): ApiPromise<BulkReplay> {
    return this.http.get(path`/api/events/replays/${id}`, {}, options);
  }

  /** Lists bulk replays, newest first. */
  bulkReplays(
    query: { limit?: number; cursor?: string } = {},
    options?: RequestOptions,
  ): PagePromise<BulkReplay> {
    return this.http.list(REPLAYS, query, options);
  }

  /** Stops a bulk replay. What has been replayed stays replayed. */
  stopBulkReplay(id: string, options?: RequestOptions): ApiPromise<void> {
    return this.http.delete(path`/api/events/replays/${id}`, options);
  }

  /** Returns how many events were emitted in a time window, how they ended, and the most frequent ones. */
  summary(query: { window?: EventWindow } = {}, options?: RequestOptions): ApiPromise<EventSummary> {
    return this.http.get('/api/events/summary', query, options);
  }
}

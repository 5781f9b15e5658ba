import type {
  CreateNotificationChannelRequest,
  ListNotificationDeliveriesQuery,
  ListWebhookDeliveriesQuery,
  NotificationChannel,
  NotificationDelivery,
  NotificationDeliveryDetail,
  PageQuery,
  PlatformEvents,
  RetryWebhookDeliveryRequest,
  TestWebhookRequest,
  UpdatePlatformEventsRequest,
  UpdateNotificationChannelRequest,
  WebhookDelivery,
  WebhookDeliveryDetail,
  WebhookSecret,
  WebhookSecretStatus,
  WebhookTest,
} from '@platform/contracts';
import type { ApiPromise, PagePromise } from '../api-promise.ts';
import type { HttpClient, RequestOptions } from '../http.ts';
import { path } from '../url.ts';

/** What the space is told, and over which channels. Only for admins. */
export class NotificationsResource {
  private readonly http: HttpClient;

  constructor(http: HttpClient) {
    this.http = http;
  }

  /** Lists channels, newest first. */
  listChannels(query: PageQuery = {}, options?: RequestOptions): PagePromise<NotificationChannel> {
    return this.http.list('/api/notifications/channels', { ...query }, options);
  }

  createChannel(
    request: CreateNotificationChannelRequest,
    options?: RequestOptions,
  ): ApiPromise<NotificationChannel> {
    return this.http.post('/api/notifications/channels', request, options);
  }

  getChannel(channelId: string, options?: RequestOptions): ApiPromise<NotificationChannel> {
    return this.http.get(path`/api/notifications/channels/${channelId}`, {}, options);
  }

  /** Changes the given fields. Secrets that are not given are kept. */
  updateChannel(
    channelId: string,
    change: UpdateNotificationChannelRequest,
    options?: RequestOptions,
  ): ApiPromise<NotificationChannel> {
    return this.http.patch(path`/api/notifications/channels/${channelId}`, change, options);
  }

  deleteChannel(channelId: string, options?: RequestOptions): ApiPromise<void> {
    return this.http.delete(path`/api/notifications/channels/${channelId}`, options);
  }

  /** Sends a test message and returns what happened. */
  testChannel(channelId: string, options?: RequestOptions): ApiPromise<NotificationDeliveryDetail> {
    return this.http.post(path`/api/notifications/channels/${channelId}/test`, undefined, options);
  }

  /** Lists what was sent and what waits, newest first. */
  listDeliveries(
    query: ListNotificationDeliveriesQuery = {},
    options?: RequestOptions,
  ): PagePromise<NotificationDelivery> {
    return this.http.list('/api/notifications/deliveries', { ...query }, options);
  }

  getDelivery(deliveryId: string, options?: RequestOptions): ApiPromise<NotificationDeliveryDetail> {
    return this.http.get(path`/api/notifications/deliveries/${deliveryId}`, {}, options);
  }

  /** Sends the content of a delivery that has ended again, as another delivery. */
  resend(deliveryId: string, options?: RequestOptions): ApiPromise<NotificationDelivery> {
    return this.http.post(path`/api/notifications/deliveries/${deliveryId}/resend`, undefined, options);
  }

  /** Returns the events of the platform, and whether tasks of the space can subscribe to them. */
  getPlatformEvents(options?: RequestOptions): ApiPromise<PlatformEvents> {
    return this.http.get('/api/notifications/events', undefined, options);
  }

  /** Registers the events of the platform in the space, or retires them. */
  updatePlatformEvents(
    request: UpdatePlatformEventsRequest,
    options?: RequestOptions,
  ): ApiPromise<PlatformEvents> {
    const address = '/api/notifications/events';
    return this.http.json({ ...options, method: 'PUT', path: address, body: request });
  }
}

/** What was sent to the webhooks of jobs, and what waits. Only for admins. */
export class WebhooksResource {
  private readonly http: HttpClient;

  constructor(http: HttpClient) {
    this.http = http;
  }

  /** Lists deliveries, newest first. */
  listDeliveries(
    query: ListWebhookDeliveriesQuery = {},
    options?: RequestOptions,
  ): PagePromise<WebhookDelivery> {
    return this.http.list('/api/webhook-deliveries', { ...query }, options);
  }

  /** Returns a delivery with its request, its attempts, and their responses. */
  getDelivery(deliveryId: string, options?: RequestOptions): ApiPromise<WebhookDeliveryDetail> {
    return this.http.get(path`/api/webhook-deliveries/${deliveryId}`, {}, options);
  }

  /**
   * Sends a delivery that was given up once more, with the same `webhook-id`. With the `attempts` that the caller has seen, a
   * repeated call sends nothing twice.
   */
  retry(
    deliveryId: string,
    request: RetryWebhookDeliveryRequest = {},
    options?: RequestOptions,
  ): ApiPromise<WebhookDelivery> {
    return this.http.post(path`/api/webhook-deliveries/${deliveryId}/retry`, request, options);
  }

  /** Sends one signed test message and returns what happened. */
  test(request: TestWebhookRequest, options?: RequestOptions): ApiPromise<WebhookTest> {
    return this.http.post('/api/webhooks/test', request, options);
  }
}

/** The secret that signs the webhooks of the space. Only for admins. */
export class WebhookSecretResource {
  private readonly http: HttpClient;

  constructor(http: HttpClient) {
    this.http = http;
  }

  /** Returns whether there is a secret, but not the secret. */
  get(options?: RequestOptions): ApiPromise<WebhookSecretStatus> {
    return this.http.get('/api/webhook-secret', undefined, options);
  }

  /** Creates a new secret, which is returned only here. The previous one also signs for another day. */
  rotate(options?: RequestOptions): ApiPromise<WebhookSecret> {
    return this.http.post('/api/webhook-secret', undefined, options);
  }
}

import type {
  CreateNotificationChannelRequest,
  ListNotificationDeliveriesQuery,
  NotificationChannel,
  NotificationDelivery,
  NotificationDeliveryDetail,
  PageQuery,
  PlatformEvents,
  UpdatePlatformEventsRequest,
  UpdateNotificationChannelRequest,
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

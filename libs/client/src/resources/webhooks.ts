import type {
  ListWebhookDeliveriesQuery,
  RetryWebhookDeliveryRequest,
  TestWebhookRequest,
  WebhookDelivery,
  WebhookDeliveryDetail,
  WebhookSecret,
  WebhookSecretStatus,
  WebhookTest,
} from '@platform/contracts';
import type { ApiPromise, PagePromise } from '../api-promise.ts';
import type { HttpClient, RequestOptions } from '../http.ts';
import { path } from '../url.ts';

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

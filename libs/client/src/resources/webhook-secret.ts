import type { WebhookSecret, WebhookSecretStatus } from '@platform/contracts';
import type { ApiPromise } from '../api-promise.ts';
import type { HttpClient, RequestOptions } from '../http.ts';

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

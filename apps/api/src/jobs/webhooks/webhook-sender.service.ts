import { Injectable } from '@nestjs/common';
import { Webhook } from 'standardwebhooks';
import { GuardedHttp, type GuardedResponse } from '../../infra/outgoing/guarded-http.ts';
import { WebhookSecretsService } from './webhook-secrets.service.ts';

const TIMEOUT_MS = 15_000;

export interface SignedWebhook {
  /** The same in every attempt. */
  id: string;
  spaceId: string;
  url: string;
  body: string;
  /** By the clock of the database. */
  at: Date;
}

/** Sends webhooks, signed with the secrets of their spaces according to Standard Webhooks. */
@Injectable()
export class WebhookSenderService {
  constructor(
    private readonly http: GuardedHttp,
    private readonly secrets: WebhookSecretsService,
  ) {}

  /** Makes one attempt. Throws an `OutgoingError` if there is no response. */
  async send({ id, spaceId, url, body, at }: SignedWebhook): Promise<GuardedResponse> {
    const keys = await this.secrets.getSigningSecrets(spaceId);
    return this.http.fetch(url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
        'webhook-signature': keys.map((key) => new Webhook(key).sign(id, at, body)).join(' '),
      },
      body,
      timeoutMs: TIMEOUT_MS,
      // Accepted is accepted, whatever the endpoint writes then: a failure would send the message again.
      skipBody: true,
    });
  }
}

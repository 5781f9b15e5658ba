import { Injectable, Logger } from '@nestjs/common';
import { Webhook } from 'standardwebhooks';
import { GuardedHttp, OutgoingError } from '../../infra/outgoing/guarded-http.ts';
import { Secrets } from '../../models/port/secrets.ts';
import { secretsOfUrl } from './webhook-url.ts';
import { readStart, toText, writtenForms } from './webhook-response.ts';
import { WebhookSecretsService } from './webhook-secrets.service.ts';

const TIMEOUT_MS = 15_000;
/** For the beginning of the body, once the status has arrived. */
const BODY_MS = 2_000;

export interface SignedWebhook {
  /** The same in every attempt. */
  id: string;
  spaceId: string;
  url: string;
  body: string;
  /** By the clock of the database. */
  at: Date;
}

/** What became of one attempt. */
export interface SentWebhook {
  /** As sent, with the signature. */
  headers: Record<string, string>;
  /** Until the status arrived, or the attempt failed. */
  durationMs: number;
  /** Null if there was none. */
  response: { status: number; body: string } | null;
  /** Whether the address is not public and not allowed: only for installation administrators. */
  isBlocked: boolean;
}

/** The headers of a message besides its signature; `at` is null if it was not sent yet. */
export function webhookHeaders(id: string, at: Date | null): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    'webhook-id': id,
    ...(at !== null && { 'webhook-timestamp': String(Math.floor(at.getTime() / 1000)) }),
  };
}

/** Sends webhooks, signed with the secrets of their spaces according to Standard Webhooks. */
@Injectable()
export class WebhookSenderService {
  private readonly logger = new Logger(WebhookSenderService.name);

  constructor(
    private readonly http: GuardedHttp,
    private readonly secrets: WebhookSecretsService,
  ) {}

  /** Makes one attempt. A failure is a result. */
  async send({ id, spaceId, url, body, at }: SignedWebhook): Promise<SentWebhook> {
    const keys = await this.secrets.getSigningSecrets(spaceId);
    const signature = keys.map((key) => new Webhook(key).sign(id, at, body)).join(' ');
    const headers = { ...webhookHeaders(id, at), 'webhook-signature': signature };
    const secrets = Secrets.of(...keys.flatMap(writtenForms), ...secretsOfUrl(url));
    const started = performance.now();
    const took = () => Math.round(performance.now() - started);
    const patience = new AbortController();
    const request = { method: 'POST', headers, body, timeoutMs: TIMEOUT_MS, signal: patience.signal };
    try {
      const opened = await this.http.open(url, request);
      const durationMs = took();
      // Accepted is accepted, whatever the endpoint writes then: a failure would send the message again.
      const timer = setTimeout(() => patience.abort(), BODY_MS);
      const start = await readStart(opened.body);
      clearTimeout(timer);
      const response = { status: opened.status, body: toText(start, secrets) };
      return { headers, durationMs, response, isBlocked: false };
    } catch (error) {
      if (!(error instanceof OutgoingError)) throw error;
      this.logger.debug({ webhook: id, reason: error.reason }, 'A webhook received no response');
      return { headers, durationMs: took(), response: null, isBlocked: error.isBlocked };
    }
  }
}

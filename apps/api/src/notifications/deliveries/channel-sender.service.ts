import { Injectable } from '@nestjs/common';
import { storable } from '../../infra/errors/storable.ts';
import { GuardedHttp, OutgoingError, type GuardedResponse } from '../../infra/outgoing/guarded-http.ts';
import { failureOf } from '../../jobs/webhooks/webhook-response.ts';
import { WebhookSenderService } from '../../jobs/webhooks/webhook-sender.service.ts';
import type { ChannelSecrets } from '../channels/channel-definition.ts';
import type { NotificationChannelEntity } from '../channels/notification-channel.entity.ts';
import { CHAT_FORMATS } from '../messages/chat-formats.ts';
import type { Message } from '../messages/message.ts';
import { MailSenderService } from './mail-sender.service.ts';
import type { Sent, SentRequest } from './notification-delivery.entity.ts';

const TIMEOUT_MS = 15_000;
/** Of a request or a response that is kept. */
const MAX_KEPT_CHARS = 16_384;
const MAX_ANSWER_BYTES = 65_536;
const JSON_TYPE = { 'Content-Type': 'application/json' };

/** Sends messages in the way of their channels. */
@Injectable()
export class ChannelSenderService {
  constructor(
    private readonly http: GuardedHttp,
    private readonly webhooks: WebhookSenderService,
    private readonly mail: MailSenderService,
  ) {}

  /** Makes one attempt. A failure is a result. */
  async send(channel: NotificationChannelEntity, secrets: ChannelSecrets, message: Message): Promise<Sent> {
    switch (channel.kind) {
      case 'webhook':
        return this.sendWebhook(channel, message);
      case 'email':
        if (channel.smtp === null) throw new Error('The channel has no mail server');
        return this.mail.send(channel.smtp, secrets.password, message);
      case 'slack':
      case 'feishu':
      case 'dingtalk':
      case 'wecom':
        return this.sendChat(channel.kind, secrets, message);
    }
  }

  private async sendWebhook({ url }: NotificationChannelEntity, message: Message): Promise<Sent> {
    const body = JSON.stringify(toWebhookBody(message));
    const { deliveryId: id, spaceId, at } = message;
    const request = {
      method: 'POST',
      url: url ?? '',
      headers: { ...JSON_TYPE, 'webhook-id': id },
      body: kept(body),
    };
    const { response } = await this.webhooks.send({ id, spaceId, url: url ?? '', body, at });
    return { request, response, error: failureOf(response?.status ?? null) };
  }

  private async sendChat(
    kind: keyof typeof CHAT_FORMATS,
    { url, secret }: ChannelSecrets,
    message: Message,
  ): Promise<Sent> {
    const { toRequest, refusalOf } = CHAT_FORMATS[kind];
    const made = toRequest(message, url ?? '', secret, message.at);
    const body = JSON.stringify(made.body);
    const request = { method: 'POST', url: new URL(made.url).origin, headers: JSON_TYPE, body: kept(body) };
    const options = {
      method: 'POST',
      headers: JSON_TYPE,
      body,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_ANSWER_BYTES,
    };
    return answered(request, () => this.http.fetch(made.url, options), refusalOf);
  }
}

async function answered(
  request: SentRequest,
  fetch: () => Promise<GuardedResponse>,
  refusalOf: (body: string) => string | null,
): Promise<Sent> {
  try {
    const answer = await fetch();
    const { status, ok } = answer;
    const text = answer.text();
    const response = { status, body: kept(storable(text)) };
    const refusal = ok ? refusalOf(text) : `HTTP ${status}`;
    return { request, response, error: refusal && storable(refusal) };
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error;
    return { request, response: null, error: 'No response' };
  }
}

function toWebhookBody({ spaceId, deliveryId, isTest, count, items, at }: Message) {
  return {
    type: isTest ? 'notification.test' : 'notification',
    timestamp: at.toISOString(),
    data: {
      deliveryId,
      spaceId,
      count,
      notifications: items.map((item) => ({ ...item, at: item.at.toISOString() })),
    },
  };
}

/** What is kept of a text, whole or cut. */
const kept = (text: string) =>
  text.length <= MAX_KEPT_CHARS ? text : `${text.slice(0, MAX_KEPT_CHARS).replace(/[\uD800-\uDBFF]$/, '')}…`;

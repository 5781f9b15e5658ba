import { Injectable } from '@nestjs/common';
import type {
  Page,
  WebhookAttempt,
  WebhookDelivery,
  WebhookDeliveryDetail,
  WebhookTest,
  WebhookTestMessage,
} from '@platform/contracts';
import { recordAudit } from '../../auth/audit/audit.ts';
import { IdentityService } from '../../auth/people/identity.service.ts';
import type { AuditedCall } from '../../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Database } from '../../infra/database/database.ts';
import { exactlyOne } from '../../infra/database/rows.ts';
import { conflict, type AppError } from '../../infra/errors/app-error.ts';
import { shortened } from '../../infra/errors/error-message.ts';
import { BLOCKED } from '../../infra/outgoing/guarded-http.ts';
import { Cursors } from '../../infra/requests/cursors.ts';
import { parseInstant } from '../../infra/requests/instant.ts';
import { findJobOwners } from '../records/jobs.store.ts';
import type { WebhookDeliveryQueryDto } from './webhook-deliveries.dto.ts';
import {
  getDelivery,
  listAttempts,
  listDeliveries,
  loadBody,
  retryDelivery,
  statusOf,
  type DeliveryFilter,
  type ListedAttempt,
  type ListedDelivery,
} from './webhook-deliveries.store.ts';
import { isAccepted, sentenceOf, SERVICE_ERROR } from './webhook-response.ts';
import { webhookHeaders, WebhookSenderService } from './webhook-sender.service.ts';
import { maskUrl } from './webhook-url.ts';
import { WebhooksService } from './webhooks.service.ts';

/** Of a message that is shown. */
const MAX_SHOWN_BYTES = 16_384;

/** What admins see and do about the deliveries of webhooks. What a job says remains with the person whose job it is. */
@Injectable()
export class WebhookDeliveriesService {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly identity: IdentityService,
    private readonly webhooks: WebhooksService,
    private readonly sender: WebhookSenderService,
  ) {}

  /** Newest first. */
  async list(
    spaceId: string,
    { limit, cursor, ...query }: WebhookDeliveryQueryDto,
  ): Promise<Page<WebhookDelivery>> {
    const { status = null, jobId = null, from, to } = query;
    const filter: DeliveryFilter = { status, jobId, from: parseInstant(from), to: parseInstant(to) };
    const bound = { webhookDeliveriesOf: spaceId, ...filter };
    const before = this.cursors.idAfter(cursor, bound);
    const found = await listDeliveries(this.database.manager, spaceId, filter, before, limit + 1);
    const page = this.cursors.page(
      found,
      limit,
      bound,
      ({ id }) => [id],
      (delivery) => delivery,
    );
    return { ...page, items: await this.describe(page.items) };
  }

  async get(caller: UserPrincipal, id: string): Promise<WebhookDeliveryDetail> {
    const found = await getDelivery(this.database.manager, caller.spaceId, id);
    const delivery = await this.describeOne(found);
    const [{ start, bytes }, attempts] = await Promise.all([
      loadBody(this.database, id, MAX_SHOWN_BYTES + 1),
      listAttempts(this.database, id),
    ]);
    const isOwn = delivery.user?.id === caller.userId;
    return {
      ...delivery,
      request: {
        method: 'POST',
        url: delivery.url,
        headers: webhookHeaders(id, attempts[0]?.startedAt ?? null),
        body: start !== null && isOwn ? shortened(start, MAX_SHOWN_BYTES) : null,
        bodyBytes: bytes,
      },
      lastAttempts: attempts.map((attempt) => toAttempt(attempt, isOwn)),
    };
  }

  /** `attempts`: how often it was attempted when the caller decided; null: however often. */
  async retry({ by, requestId }: AuditedCall, id: string, attempts: number | null): Promise<WebhookDelivery> {
    const { spaceId } = by;
    const retried = await this.database.transaction(async (tx) => {
      const before = await getDelivery(tx, spaceId, id);
      if (!(await retryDelivery(tx, spaceId, id, attempts, this.webhooks.republishAfterMs)))
        throw refusal(await getDelivery(tx, spaceId, before.id), attempts);
      const target = { targetType: 'webhook_delivery', targetId: before.id };
      const details = { jobId: before.jobId, attempts: before.attempts };
      await recordAudit(tx, by, { action: 'webhook-delivery.retry', ...target, details, requestId });
      return getDelivery(tx, spaceId, id);
    });
    await this.webhooks.publish(retried.id);
    return this.describeOne(retried);
  }

  /** A server that is no good is a result. */
  async test({ by, requestId }: AuditedCall, url: string): Promise<WebhookTest> {
    const { spaceId } = by;
    const { id, at } = await this.database.transaction(async (tx) => {
      const message = await exactlyOne<{ id: string; at: Date }>(
        tx,
        'select uuid_v7() as id, clock_timestamp() as at',
      );
      const target = { targetType: 'webhook', targetId: message.id };
      const details = { origin: new URL(url).origin };
      await recordAudit(tx, by, { action: 'webhook.test', ...target, details, requestId });
      return message;
    });
    const message: WebhookTestMessage = {
      type: 'webhook.test',
      timestamp: at.toISOString(),
      data: { spaceId },
    };
    const body = JSON.stringify(message);
    const { headers, durationMs, response, ...sent } = await this.sender.send({
      id,
      spaceId,
      url,
      body,
      at,
    });
    const status = response?.status ?? null;
    const outcome = outcomeOf(status);
    // Everybody else must not learn which addresses are private.
    const isBlocked = sent.isBlocked && (await this.identity.isInstallationAdmin(by.userId));
    const error = sentenceOf(outcome, status);
    return {
      id,
      outcome,
      isBlocked,
      request: { method: 'POST', url, headers, body },
      durationMs,
      response,
      error: isBlocked ? `${error} ${BLOCKED}.` : error,
    };
  }

  private async describeOne(delivery: ListedDelivery): Promise<WebhookDelivery> {
    const [described] = await this.describe([delivery]);
    if (described === undefined) throw new Error('A delivery was not described');
    return described;
  }

  /** The same deliveries with the people whose jobs they tell of. */
  private async describe(deliveries: ListedDelivery[]): Promise<WebhookDelivery[]> {
    const jobIds = [...new Set(deliveries.map(({ jobId }) => jobId))];
    const owners = await findJobOwners(this.database.manager, jobIds);
    const users = await this.identity.findUsersByIds([...new Set(owners.values())]);
    return deliveries.map((delivery) => {
      const { id, spaceId, jobId, type, url, attempts, availableAt, deliveredAt, lastError, createdAt } =
        delivery;
      const status = statusOf(delivery);
      const endedAt = deliveredAt ?? (status === 'FAILED' ? availableAt : null);
      return {
        id,
        spaceId,
        jobId,
        user: users.get(owners.get(jobId) ?? '') ?? null,
        type,
        url: maskUrl(url),
        status,
        attempts,
        dueAt: status === 'PENDING' ? availableAt.toISOString() : null,
        lastError,
        createdAt: createdAt.toISOString(),
        endedAt: endedAt?.toISOString() ?? null,
      };
    });
  }
}

/** Why a delivery cannot be sent again. */
function refusal(delivery: ListedDelivery, attempts: number | null): AppError {
  switch (statusOf(delivery)) {
    case 'PENDING':
      return conflict('The delivery waits to be sent already');
    case 'DELIVERED':
      return conflict('The delivery was accepted, and is not sent again');
    case 'FAILED':
      return attempts !== null && attempts !== delivery.attempts
        ? conflict(`The delivery was attempted ${delivery.attempts} times meanwhile: look at it again`)
        : conflict('The message is no longer kept: messages are removed after a week');
  }
}

/** `isOwn`: whether the caller may read what the job says, which a server can repeat. */
function toAttempt(
  { attempt, startedAt, durationMs, status, responseBody, isRunning }: ListedAttempt,
  isOwn: boolean,
): WebhookAttempt {
  const isServiceError = status === SERVICE_ERROR;
  const ended = isServiceError ? 'SERVICE_ERROR' : outcomeOf(status);
  const outcome = durationMs !== null ? ended : isRunning ? 'RUNNING' : 'INTERRUPTED';
  return {
    attempt,
    at: startedAt.toISOString(),
    durationMs,
    outcome,
    response: status === null || isServiceError ? null : { status, body: isOwn ? responseBody : null },
    error: sentenceOf(outcome, status),
  };
}

function outcomeOf(status: number | null): 'ACCEPTED' | 'REFUSED' | 'NO_RESPONSE' {
  if (status === null) return 'NO_RESPONSE';
  return isAccepted(status) ? 'ACCEPTED' : 'REFUSED';
}

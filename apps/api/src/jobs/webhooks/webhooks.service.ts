import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import type { Job, WebhookMessage, WebhookType } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { Batched } from '../../infra/database/batched.ts';
import { BackgroundDatabase } from '../../infra/database/database.ts';
import { FactsService } from '../../infra/facts/facts.service.ts';
import { isUuid } from '../../infra/requests/ids.ts';
import { failpoint } from '../../infra/runtime/failpoints.ts';
import { FairQueue } from '../../infra/runtime/fair-queue.ts';
import { Messaging } from '../../infra/messaging/messaging.ts';
import { OutboxPublishersRegistry } from '../../infra/messaging/outbox-publishers.registry.ts';
import { SweeperWorker } from '../../infra/database/sweeper.worker.ts';
import { WebhookSenderService } from './webhook-sender.service.ts';
import { failureOf, SERVICE_ERROR } from './webhook-response.ts';
import { retryDelayMs } from './webhook-schedule.ts';
import * as store from './webhooks.store.ts';

/** The limits of this process: deliveries in total, and to one host of a space. */
const CONCURRENT = 64;
const CONCURRENT_PER_HOST = 4;
const WAITING_PER_HOST = 100;
/** How many hints are handled at the same time. They share one statement for reading. */
const CONCURRENCY = 50;

const TYPES: Partial<Record<Job['status'], WebhookType>> = {
  INPUT_REQUIRED: 'agent-job.input-required',
  COMPLETED: 'agent-job.completed',
  FAILED: 'agent-job.failed',
  CANCELLED: 'agent-job.cancelled',
  TIMED_OUT: 'agent-job.timed-out',
};

/** Why a delivery that waits is not sent. */
const STOPPED = new Error('The service has stopped');

interface DueDelivery {
  id: string;
  spaceId: string;
  /** The host of the endpoint, in its space. */
  host: string;
}

/** Webhooks of jobs: stored together with what they report, signed, and sent at least once. */
@Injectable()
export class WebhooksService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(WebhooksService.name);
  /** Deliveries that wait or are being sent, by their ids. */
  private readonly underWay = new Map<string, Promise<void>>();
  /** A slow endpoint delays no other one, and a space with many slow endpoints no other space. */
  private readonly hosts = new FairQueue({ perKey: CONCURRENT_PER_HOST, waitingPerKey: WAITING_PER_HOST });
  private readonly spaces = new FairQueue({ places: CONCURRENT, leaveRoom: true });
  private readonly reads = new Batched((ids: string[]) => this.loadDue(ids));
  private stopping = false;

  constructor(
    private readonly database: BackgroundDatabase,
    private readonly messaging: Messaging,
    private readonly outbox: OutboxPublishersRegistry,
    private readonly sender: WebhookSenderService,
    private readonly sweeper: SweeperWorker,
    private readonly facts: FactsService,
  ) {}

  onApplicationBootstrap(): void {
    this.messaging.consume('webhook', (id) => this.handleHint(id), { concurrency: CONCURRENCY });
    this.outbox.register({
      kind: 'webhook',
      isAnyDue: () => this.database.hasRows(store.DELIVERIES_DUE),
      takeDue: (limit) => store.takeDueDeliveries(this.database, limit, this.republishAfterMs),
      expedite: (limit) => store.expediteDeliveries(this.database, limit),
    });
    this.sweeper.register('webhook deliveries', (limit) => store.purgeDeliveries(this.database, limit));
    this.sweeper.register('webhook bodies', (limit) => store.forgetBodies(this.database, limit));
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    // Their rows are found again later.
    this.hosts.close(STOPPED);
    this.spaces.close(STOPPED);
    await Promise.allSettled(this.underWay.values());
  }

  /** When a hint that was lost is published again. */
  get republishAfterMs(): number {
    return this.messaging.pace.republishAfterMs;
  }

  /** Stores a webhook in the transaction that stores what it reports. Returns null if it was already stored. */
  async store(
    tx: EntityManager,
    about: { spaceId: string; url: string; segment: number },
    job: Job,
    at: Date,
  ): Promise<string | null> {
    const type = TYPES[job.status];
    if (type === undefined) throw new Error(`There is no webhook for the status ${job.status}`);
    const message: WebhookMessage = { type, timestamp: at.toISOString(), data: job };
    const delivery = { ...about, jobId: job.id, type, body: JSON.stringify(message) };
    return store.insertDelivery(tx, delivery, this.republishAfterMs);
  }

  /** Publishes a stored webhook after the commit. */
  async publish(id: string): Promise<void> {
    await this.messaging.publish('webhook', [id]);
  }

  /** Never waits for an endpoint: a slow one would delay the hints for others. */
  private async handleHint(id: string): Promise<void> {
    const delivery = await this.reads.get(id);
    if (delivery === null || this.stopping || this.underWay.has(id)) return;
    if (this.hosts.isFull(delivery.host)) await store.postponeDelivery(this.database, id);
    else this.underWay.set(id, this.deliver(delivery));
  }

  /** Returns the due delivery for each id, or null. The ids are not trusted. */
  private async loadDue(ids: string[]): Promise<(DueDelivery | null)[]> {
    const due = await store.listDueDeliveries(this.database, [...new Set(ids.filter(isUuid))]);
    const found = new Map(due.map((delivery) => [delivery.id, delivery]));
    return ids.map((id) => {
      const delivery = found.get(id);
      if (delivery === undefined) return null;
      const { spaceId, url } = delivery;
      return { id, spaceId, host: `${spaceId} ${URL.parse(url)?.host ?? ''}` };
    });
  }

  /** Never rejects: a failed attempt is repeated after its timeout. */
  private async deliver({ id, spaceId, host }: DueDelivery): Promise<void> {
    try {
      await this.hosts.run(host, () => this.spaces.run(spaceId, () => this.attempt(id)));
    } catch (error) {
      if (error === STOPPED) return;
      this.logger.warn({ err: error, delivery: id }, 'A webhook could not be sent; retrying');
    } finally {
      this.underWay.delete(id);
    }
  }

  private async attempt(id: string): Promise<void> {
    const attempt = this.stopping ? null : await store.beginAttempt(this.database, id);
    if (attempt === null) return;
    failpoint('webhooks.claimed');
    const end = await this.send(attempt);
    failpoint('webhooks.sent');
    const error = failureOf(end.status);
    if (error === null) return store.markDelivered(this.database, attempt, end);
    const delayMs = retryDelayMs(attempt.attempts);
    if (delayMs === null) await this.abandon(attempt, end, error);
    else await store.markFailed(this.database, attempt, end, error, delayMs);
  }

  private async send(attempt: store.Attempt): Promise<store.AttemptEnd> {
    const started = performance.now();
    try {
      const { durationMs, response } = await this.sender.send(attempt);
      return { durationMs, status: response?.status ?? null, responseBody: response?.body ?? null };
    } catch (error) {
      // Such as a secret that cannot be opened: repeated as seldom as what no endpoint accepts, and given up like it.
      this.logger.error({ err: error, delivery: attempt.id }, 'A webhook could not be sent');
      const durationMs = Math.round(performance.now() - started);
      return { durationMs, status: SERVICE_ERROR, responseBody: null };
    }
  }

  /** Tells the space about it in the same transaction. */
  private async abandon(attempt: store.Attempt, end: store.AttemptEnd, error: string): Promise<void> {
    const { id, spaceId, jobId, url } = attempt;
    const payload = { deliveryId: id, jobId, url: URL.parse(url)?.origin ?? '', error };
    await this.database.transaction(async (tx) => {
      if (!(await store.markFailed(tx, attempt, end, error, null))) return;
      const fact = { spaceId, name: 'webhook.failing', key: id, payload, causationRunId: null } as const;
      await this.facts.record(tx, fact);
    });
    this.logger.warn({ delivery: id, error }, 'A webhook was abandoned');
  }
}

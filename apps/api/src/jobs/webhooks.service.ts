import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import type { Job, WebhookMessage, WebhookType } from '@platform/contracts';
import { Webhook } from 'standardwebhooks';
import type { EntityManager } from 'typeorm';
import { Batched } from '../infra/batched.ts';
import { BackgroundDatabase } from '../infra/database/background-database.ts';
import { GuardedHttp, OutgoingError } from '../infra/http/guarded-http.ts';
import { isUuid } from '../infra/http/ids.ts';
import { Messaging } from '../infra/messaging/messaging.ts';
import { OutboxPublishers } from '../infra/messaging/outbox-publishers.ts';
import { Sweeper } from '../infra/sweeper.ts';
import { DeliveryLanes, type QueuedDelivery } from './delivery-lanes.ts';
import { WebhookSecrets } from './webhook-secrets.service.ts';
import { retryDelayMs } from './webhook-schedule.ts';
import * as store from './webhooks.store.ts';

const TIMEOUT_MS = 15_000;
/** What an endpoint answers is not read beyond this. */
const MAX_RESPONSE_BYTES = 64 * 1024;
/** Deliveries of this process: at once, at once to one host of one space, and waiting for that host. */
const LANES = { places: 64, perLane: 4, waitingPerLane: 100 };
/** Hints that are handled side by side; their looks share one statement. */
const CONCURRENCY = 50;

const TYPES: Partial<Record<Job['status'], WebhookType>> = {
  INPUT_REQUIRED: 'agent-job.input-required',
  COMPLETED: 'agent-job.completed',
  FAILED: 'agent-job.failed',
  CANCELLED: 'agent-job.cancelled',
  TIMED_OUT: 'agent-job.timed-out',
};

/** Tells the addresses of jobs how they stand: stored with the fact, signed, sent at least once. */
@Injectable()
export class Webhooks implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(Webhooks.name);
  private readonly underWay = new Set<Promise<void>>();
  private readonly lanes = new DeliveryLanes(LANES, (parcel) => this.deliver(parcel));
  private readonly looks = new Batched((ids: string[]) => this.loadDue(ids));
  private stopping = false;

  constructor(
    private readonly database: BackgroundDatabase,
    private readonly http: GuardedHttp,
    private readonly messaging: Messaging,
    private readonly outbox: OutboxPublishers,
    private readonly secrets: WebhookSecrets,
    private readonly sweeper: Sweeper,
  ) {}

  onApplicationBootstrap(): void {
    this.messaging.consume('webhook', (id) => this.handleHint(id), { concurrency: CONCURRENCY });
    const { republishAfterMs } = this.messaging.pace;
    this.outbox.register({
      kind: 'webhook',
      due: (limit) => store.takeDueDeliveries(this.database, limit, republishAfterMs),
      expedite: (limit) => store.expediteDeliveries(this.database, limit),
    });
    this.sweeper.register('webhook deliveries', (limit) => store.purgeDeliveries(this.database, limit));
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    this.lanes.clear();
    await Promise.allSettled(this.underWay);
  }

  /** Stores that the job ended, or asks; in the transaction that takes note of it. Null: it was stored before. */
  async store(
    tx: EntityManager,
    about: { spaceId: string; url: string; segment: number },
    job: Job,
    at: Date,
  ): Promise<string | null> {
    const type = TYPES[job.status];
    if (type === undefined) throw new Error(`No webhook tells of a job that is ${job.status}`);
    const message: WebhookMessage = { type, timestamp: at.toISOString(), data: job };
    const delivery = { ...about, jobId: job.id, type, body: JSON.stringify(message) };
    return store.insertDelivery(tx, delivery, this.messaging.pace.republishAfterMs);
  }

  /** Hints at what was stored, once that is committed. */
  async publish(id: string): Promise<void> {
    await this.messaging.publish('webhook', [id]);
  }

  /** Never waits for an endpoint: a slow one would hold up the hints of the others. */
  private async handleHint(id: string): Promise<void> {
    const parcel = await this.looks.get(id);
    if (parcel === null || this.stopping || this.lanes.enqueue(parcel)) return;
    await store.postpone(this.database, id);
  }

  /** The deliveries that an attempt is due of; null in the place of each id that is none. */
  private async loadDue(ids: string[]): Promise<(QueuedDelivery | null)[]> {
    const due = await store.listDueDeliveries(this.database, [...new Set(ids.filter(isUuid))]);
    const found = new Map(due.map((delivery) => [delivery.id, delivery]));
    return ids.map((id) => {
      const delivery = found.get(id);
      if (delivery === undefined) return null;
      const { spaceId, url } = delivery;
      return { id, owner: spaceId, lane: `${spaceId} ${URL.parse(url)?.host ?? ''}` };
    });
  }

  /** Never rejects: what went wrong is tried again once the time of the attempt is over. */
  private async deliver({ id }: QueuedDelivery): Promise<void> {
    const work = this.attempt(id);
    this.underWay.add(work);
    try {
      await work;
    } catch (error) {
      this.logger.warn({ err: error, delivery: id }, 'A webhook could not be sent; trying again');
    } finally {
      this.underWay.delete(work);
    }
  }

  private async attempt(id: string): Promise<void> {
    const attempt = this.stopping ? null : await store.beginAttempt(this.database, id);
    if (attempt === null) return;
    const error = await this.send(attempt);
    if (error === null) {
      await store.markDelivered(this.database, attempt.id);
      return;
    }
    const delayMs = retryDelayMs(attempt.attempts);
    await store.markFailed(this.database, attempt.id, error, delayMs);
    if (delayMs === null) this.logger.warn({ delivery: attempt.id, error }, 'A webhook was given up');
  }

  /** Null where it was taken, else what went wrong. */
  private async send({ id, spaceId, url, body, at }: store.Attempt): Promise<string | null> {
    const keys = await this.secrets.getSigningSecrets(spaceId);
    try {
      const { ok, status } = await this.http.fetch(url, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          'webhook-id': id,
          'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
          'webhook-signature': keys.map((key) => new Webhook(key).sign(id, at, body)).join(' '),
        },
        body,
        timeoutMs: TIMEOUT_MS,
        maxBytes: MAX_RESPONSE_BYTES,
      });
      return ok ? null : `HTTP ${status}`;
    } catch (error) {
      if (!(error instanceof OutgoingError)) throw error;
      this.logger.debug({ delivery: id, reason: error.reason }, 'A webhook was not answered');
      return 'No answer';
    }
  }
}

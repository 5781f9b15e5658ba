import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import type { Job, WebhookMessage, WebhookType } from '@platform/contracts';
import { Webhook } from 'standardwebhooks';
import type { EntityManager } from 'typeorm';
import { BackgroundDatabase } from '../infra/database/background-database.ts';
import { GuardedHttp, OutgoingError } from '../infra/http/guarded-http.ts';
import { Messaging } from '../infra/messaging/messaging.ts';
import { RelayLoops } from '../infra/messaging/relay-loops.ts';
import { Sweeper } from '../infra/sweeper.ts';
import { WebhookSecrets } from './webhook-secrets.service.ts';
import { retryDelayMs } from './webhook-schedule.ts';
import * as store from './webhooks.store.ts';

const TIMEOUT_MS = 15_000;

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

  constructor(
    private readonly database: BackgroundDatabase,
    private readonly http: GuardedHttp,
    private readonly messaging: Messaging,
    private readonly relays: RelayLoops,
    private readonly secrets: WebhookSecrets,
    private readonly sweeper: Sweeper,
  ) {}

  onApplicationBootstrap(): void {
    this.messaging.consume('webhook', (id) => this.deliver(id));
    const { republishAfterMs } = this.messaging.pace;
    this.relays.register({
      kind: 'webhook',
      due: (limit) => store.dueDeliveries(this.database, limit, republishAfterMs),
      expedite: () => store.expediteDeliveries(this.database),
    });
    this.sweeper.register('webhook deliveries', () => store.forgetDeliveries(this.database));
  }

  async beforeApplicationShutdown(): Promise<void> {
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

  private async deliver(id: string): Promise<void> {
    const attempt = await store.beginAttempt(this.database, id);
    if (attempt === null) return;
    const work = this.attempt(attempt);
    this.underWay.add(work);
    await work.finally(() => this.underWay.delete(work));
  }

  private async attempt(attempt: store.Attempt): Promise<void> {
    const error = await this.send(attempt);
    if (error === null) {
      await store.delivered(this.database, attempt.id);
      return;
    }
    const delayMs = retryDelayMs(attempt.attempts);
    await store.failed(this.database, attempt.id, error, delayMs);
    if (delayMs === null) this.logger.warn({ delivery: attempt.id, error }, 'A webhook was given up');
  }

  /** Null where it was taken, else what went wrong. */
  private async send({ id, spaceId, url, body, at }: store.Attempt): Promise<string | null> {
    const keys = await this.secrets.signingKeys(spaceId);
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
      });
      return ok ? null : `HTTP ${status}`;
    } catch (error) {
      if (!(error instanceof OutgoingError)) throw error;
      this.logger.debug({ delivery: id, reason: error.reason }, 'A webhook was not answered');
      return 'No answer';
    }
  }
}

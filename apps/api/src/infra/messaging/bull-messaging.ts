import { BullModule, getQueueToken } from '@nestjs/bull';
import {
  Logger,
  type INestApplicationContext,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Job, JobOptions, Queue, QueueOptions } from 'bull';
import { Redis, type RedisOptions } from 'ioredis';
import {
  DEFAULT_CONCURRENCY,
  MAX_WAITING,
  HINT_KINDS,
  Messaging,
  type ConsumeOptions,
  type HintHandler,
  type HintKind,
  type MessagingState,
  type PublishPace,
} from './messaging.ts';
import { CONNECTION, KEY_PREFIX, RedisWatch } from './redis-watch.ts';
import { withTimeout } from './with-timeout.ts';

const PUBLISH_MS = 300;
const CLOSE_MS = 2_000;
const LOG_INTERVAL_MS = 10_000;

const HINT: JobOptions = { removeOnComplete: true, removeOnFail: true };

/** Waits for Redis without a limit. */
const CONSUMER: RedisOptions = { ...CONNECTION, maxRetriesPerRequest: null };

interface Consumer {
  handler: HintHandler;
  concurrency: number;
}

/**
 * Carries hints in Bull queues on Redis. The queues belong to a separate application context that is created when Redis
 * first accepts a write: a Bull worker that starts without Redis never recovers, and the service must start without it.
 */
export class BullMessaging
  extends Messaging
  implements OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown
{
  override readonly pace: PublishPace = { republishAfterMs: 30_000, minPollMs: 1_000, maxPollMs: 5_000 };
  private readonly logger = new Logger('Messaging');
  private readonly consumers = new Map<HintKind, Consumer>();
  private readonly listeners: (() => void)[] = [];
  private readonly connections: Redis[] = [];
  private watch: RedisWatch | null = null;
  private queues: INestApplicationContext | null = null;
  private stopping = false;
  private notedAt = -Infinity;

  /** Only a worker consumes. */
  constructor(
    private readonly url: string,
    private readonly isWorker: boolean,
  ) {
    super();
  }

  onApplicationBootstrap(): void {
    this.watch = new RedisWatch(
      this.url,
      async (afterSilence) => {
        if (afterSilence) for (const connection of this.connections) connection.disconnect(true);
        await this.openQueues();
      },
      () => this.announceRecovery(),
    );
  }

  async publish(kind: HintKind, ids: readonly string[]): Promise<void> {
    if (this.watch === null || ids.length === 0 || !this.hasCapacity(kind)) return;
    const hints = ids.slice(0, MAX_WAITING - this.watch.countWaiting(kind));
    this.watch.countPublished(kind, hints.length);
    const queue = this.queue(kind, 'producer');
    try {
      // Not addBulk: in a transaction, a script that Redis has lost cannot be loaded again, and the failure is silent.
      await withTimeout(PUBLISH_MS, Promise.all(hints.map((id) => queue.add({ id }, HINT))));
    } catch (error) {
      this.watch.reportFailure(error);
    }
  }

  consume(kind: HintKind, handler: HintHandler, { concurrency = DEFAULT_CONCURRENCY }: ConsumeOptions = {}) {
    if (!this.isWorker) return;
    if (this.consumers.has(kind)) throw new Error(`Hints of kind ${kind} already have a consumer`);
    this.consumers.set(kind, { handler, concurrency });
    if (this.queues) this.attach(kind);
  }

  getState(): MessagingState {
    return this.watch?.isUp ? 'up' : 'down';
  }

  hasCapacity(kind: HintKind): boolean {
    return this.watch !== null && this.watch.isUp && this.watch.countWaiting(kind) < MAX_WAITING;
  }

  onRecovery(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Stops accepting hints. Running handlers continue, and can still publish. */
  onModuleDestroy(): void {
    this.stopping = true;
    if (this.queues === null) return;
    for (const kind of this.consumers.keys()) {
      this.queue(kind, 'consumer')
        .pause(true, true)
        .catch((error: unknown) => this.logQueueError(error));
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.watch?.stop();
    if (this.queues) {
      // Does not wait for handlers, which their owners have drained; close() of the context would.
      for (const kind of this.consumers.keys()) void this.queue(kind, 'consumer').close(true);
      await withTimeout(CLOSE_MS, this.queues.close()).catch((error: unknown) => this.logQueueError(error));
    }
    for (const connection of this.connections) connection.disconnect();
  }

  private announceRecovery(): void {
    for (const listener of this.listeners) listener();
  }

  private async openQueues(): Promise<void> {
    if (this.queues) return;
    const roles = this.isWorker ? (['producer', 'consumer'] as const) : (['producer'] as const);
    const queues = HINT_KINDS.flatMap((kind) =>
      roles.map((role) => ({ name: `${kind}:${role}`, useFactory: () => this.queueOptions(kind, role) })),
    );
    this.queues = await NestFactory.createApplicationContext(
      BullModule.registerQueueAsync(...queues),

      { abortOnError: false },
    );
    for (const kind of this.consumers.keys()) this.attach(kind);
  }

  private queueOptions(kind: HintKind, role: 'producer' | 'consumer'): QueueOptions & { name: string } {
    return {
      name: kind,
      prefix: KEY_PREFIX,
      createClient: role === 'producer' ? () => this.producer() : () => this.connect(),
      settings: { retryProcessDelay: 500 },
    };
  }

  private producer(): Redis {
    if (this.watch === null) throw new Error('The queues were opened before the watch');
    return this.watch.client;
  }

  private connect(): Redis {
    const connection = new Redis(this.url, CONSUMER);
    connection.on('error', (error) => this.logger.debug(error));
    this.connections.push(connection);
    return connection;
  }

  private queue(kind: HintKind, role: 'producer' | 'consumer'): Queue {
    if (this.queues === null) throw new Error('The queues are not open yet');
    return this.queues.get<Queue>(getQueueToken(`${kind}:${role}`));
  }

  private attach(kind: HintKind): void {
    const consumer = this.consumers.get(kind);
    if (consumer === undefined || this.stopping) return;
    const queue = this.queue(kind, 'consumer');
    queue.on('error', (error) => this.logQueueError(error));
    // It only names the connection, and close() during the call would cause an unhandled rejection.
    queue.setWorkerName = () => Promise.resolve();
    queue
      .process(consumer.concurrency, (job: Job<unknown>) => this.handle(kind, consumer.handler, job.data))
      .catch((error: unknown) => this.logQueueError(error));
  }

  private async handle(kind: HintKind, handler: HintHandler, data: unknown): Promise<void> {
    const { id } = (data ?? {}) as { id?: unknown };
    if (typeof id !== 'string') return;
    if (this.stopping) return this.publish(kind, [id]);
    try {
      await handler(id);
    } catch (error) {
      this.logger.warn(
        { err: error, kind, id },
        'A hint could not be handled; its row will be published again',
      );
    }
  }

  /** Logs errors of the queues, with a rate limit. The watch reports outages. */
  private logQueueError(error: unknown): void {
    const now = performance.now();
    if (this.getState() !== 'up' || this.stopping || now - this.notedAt < LOG_INTERVAL_MS) return;
    this.notedAt = now;
    this.logger.warn({ err: error }, 'A queue reported an error');
  }
}

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
import { inPortions } from '../runtime/in-portions.ts';
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
import { CONNECTION, KEY_PREFIX, RedisWatch, retryDelay } from './redis-watch.ts';
import { withTimeout } from './with-timeout.ts';

const PUBLISH_MS = 300;
const CLOSE_MS = 2_000;
const LOG_INTERVAL_MS = 10_000;

/** Hints that are published together share jobs, each of which costs several round trips. */
const HINTS_PER_JOB = 16;
/** Over so many jobs they are spread at least, so that several processes can take them. */
const SHARES = 4;
/** The most jobs that wait per kind. */
const MAX_JOBS = MAX_WAITING / HINTS_PER_JOB;
/** How long the hints of a job wait for a place in the process that has taken it. */
const HOLD_MS = 1_000;

const HINT: JobOptions = { removeOnComplete: true, removeOnFail: true };

/** Waits for Redis without a limit. */
const CONSUMER: RedisOptions = { ...CONNECTION, maxRetriesPerRequest: null };

interface Consumer {
  handler: HintHandler;
  concurrency: number;
  running: number;
  /** Continues the job that waits for a place. */
  onFree: () => void;
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
  private hasEnded = false;
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
    if (ids.length === 0) return;
    // Between two probes, more jobs can be added and taken than there is room for.
    if (this.countRoom(kind) === 0) await this.recount(kind);
    const room = this.countRoom(kind);
    if (room > 0) await this.send(kind, inJobs(ids, room).slice(0, room));
  }

  /** Never rejects. */
  private async recount(kind: HintKind): Promise<void> {
    if (!this.watch?.isUp) return;
    try {
      await withTimeout(PUBLISH_MS, this.watch.recount(kind));
    } catch (error) {
      this.watch.reportFailure(error);
    }
  }

  /** Adds a job for each of the lists of ids. Never rejects. */
  private async send(kind: HintKind, jobs: string[][]): Promise<void> {
    if (!this.watch?.isUp) return;
    this.watch.countAdded(kind, jobs.length);
    const queue = this.queue(kind, 'producer');
    try {
      // Not addBulk: in a transaction, a script that Redis has lost cannot be loaded again, and the failure is silent.
      await withTimeout(PUBLISH_MS, Promise.all(jobs.map((ids) => queue.add({ ids }, HINT))));
    } catch (error) {
      this.watch.reportFailure(error);
    }
  }

  consume(kind: HintKind, handler: HintHandler, { concurrency = DEFAULT_CONCURRENCY }: ConsumeOptions = {}) {
    if (!this.isWorker) return;
    if (this.consumers.has(kind)) throw new Error(`Hints of kind ${kind} already have a consumer`);
    this.consumers.set(kind, { handler, concurrency, running: 0, onFree: () => undefined });
    if (this.queues) this.attach(kind);
  }

  getState(): MessagingState {
    return this.watch?.isUp ? 'up' : 'down';
  }

  countPlaces(kind: HintKind): number {
    return HINTS_PER_JOB * this.countRoom(kind);
  }

  onRecovery(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Accepts no more hints: each queue pauses with its next job. Running handlers continue, and can still publish. */
  onModuleDestroy(): void {
    this.stopping = true;
  }

  async onApplicationShutdown(): Promise<void> {
    if (this.queues) {
      // Does not wait for handlers, which their owners have drained; close() of the context would.
      const closing = [...this.consumers.keys()].map((kind) => this.queue(kind, 'consumer').close(true));
      await withTimeout(CLOSE_MS, Promise.all(closing)).catch((error: unknown) => this.logQueueError(error));
    }
    await this.watch?.stop();
    if (this.queues) {
      await withTimeout(CLOSE_MS, this.queues.close()).catch((error: unknown) => this.logQueueError(error));
    }
    this.hasEnded = true;
    for (const connection of this.connections) connection.disconnect();
  }

  /** Returns how many jobs can be added. */
  private countRoom(kind: HintKind): number {
    return this.watch?.isUp ? Math.max(0, MAX_JOBS - this.watch.countJobs(kind)) : 0;
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
    // To interrupt what it waits for, Bull closes a connection and opens it again, perhaps after the end.
    const retryStrategy = (times: number) => (this.hasEnded ? null : retryDelay(times));
    const connection = new Redis(this.url, { ...CONSUMER, retryStrategy });
    connection.on('connect', () => this.hasEnded && connection.disconnect());
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
    // Delayed jobs do not exist, and a refusal to subscribe again would be an unhandled rejection.
    Object.assign(queue, { _registerEvent: () => Promise.resolve() });
    queue.on('error', (error) => this.logQueueError(error));
    // It only names the connection, and close() during the call would cause an unhandled rejection.
    queue.setWorkerName = () => Promise.resolve();
    // One job after another: it has ended when all of its hints have a place.
    queue
      .process(1, (job: Job<unknown>) => this.take(kind, consumer, job.data))
      .catch((error: unknown) => this.logQueueError(error));
  }

  /** Begins to handle the hints of a job. What finds no place in time is published again: another process may have one. */
  private async take(kind: HintKind, consumer: Consumer, data: unknown): Promise<void> {
    const ids = idsOf(data);
    for (const [i, id] of ids.entries()) {
      if (consumer.running >= consumer.concurrency) await this.waitForPlace(consumer);
      if (this.stopping || consumer.running >= consumer.concurrency) {
        await this.send(kind, [ids.slice(i)]);
        break;
      }
      consumer.running += 1;
      void this.handle(kind, consumer, id);
    }
    // Not before: a job that Bull has fetched would wait in the paused queue until it counts as stalled.
    if (this.stopping) await this.queue(kind, 'consumer').pause(true, true);
  }

  private async waitForPlace(consumer: Consumer): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    consumer.onFree = () => resolve(undefined);
    const timer = setTimeout(consumer.onFree, HOLD_MS);
    await promise;
    clearTimeout(timer);
  }

  private async handle(kind: HintKind, consumer: Consumer, id: string): Promise<void> {
    try {
      await consumer.handler(id);
    } catch (error) {
      this.logger.warn(
        { err: error, kind, id },
        'A hint could not be handled; its row will be published again',
      );
    } finally {
      consumer.running -= 1;
      consumer.onFree();
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

/** Divides ids among jobs, for which there is room. */
function inJobs(ids: readonly string[], room: number): string[][] {
  const size = Math.min(HINTS_PER_JOB, Math.ceil(ids.length / Math.min(SHARES, room)));
  return inPortions(ids, size);
}

/** What else could be in a job is not from this service. */
function idsOf(data: unknown): string[] {
  const { ids } = (data ?? {}) as { ids?: unknown };
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [];
}

import { Logger, type OnModuleDestroy } from '@nestjs/common';
import {
  DEFAULT_CONCURRENCY,
  MAX_WAITING,
  Messaging,
  type ConsumeOptions,
  type HintHandler,
  type HintKind,
  type MessagingState,
  type PublishPace,
} from './messaging.ts';

/** With so many hints, rows are not published again: each time is an update, and the next hints would wait as long. */
const ENOUGH_WAITING = 500;

interface Consumer {
  handler: HintHandler;
  concurrency: number;
  running: number;
  /** A set, so that an id waits at most once. */
  waiting: Set<string>;
}

/** Carries hints within the process. The outbox publisher finds the rows of other processes, so it polls often. */
export class InProcessMessaging extends Messaging implements OnModuleDestroy {
  override readonly pace: PublishPace = { republishAfterMs: 200, minPollMs: 20, maxPollMs: 1_000 };
  private readonly logger = new Logger(InProcessMessaging.name);
  private readonly consumers = new Map<HintKind, Consumer>();
  private stopping = false;

  /** Only a worker consumes. */
  constructor(private readonly isWorker: boolean) {
    super();
  }

  async publish(kind: HintKind, ids: readonly string[]): Promise<void> {
    const consumer = this.consumers.get(kind);
    if (consumer === undefined || this.stopping) return;
    for (const id of ids) if (consumer.waiting.size < MAX_WAITING) consumer.waiting.add(id);
    // Not within the call of the publisher.
    setImmediate(() => this.pump(consumer));
  }

  consume(kind: HintKind, handler: HintHandler, { concurrency = DEFAULT_CONCURRENCY }: ConsumeOptions = {}) {
    if (!this.isWorker) return;
    if (this.consumers.has(kind)) throw new Error(`Hints of kind ${kind} already have a consumer`);
    this.consumers.set(kind, { handler, concurrency, running: 0, waiting: new Set() });
  }

  getState(): MessagingState {
    return 'in-process';
  }

  countPlaces(kind: HintKind): number {
    const waiting = this.consumers.get(kind)?.waiting.size ?? MAX_WAITING;
    return this.stopping || waiting >= ENOUGH_WAITING ? 0 : MAX_WAITING - waiting;
  }

  /** Nothing is lost while the process lives, and outbox publishers poll when they start. */
  onRecovery(): void {}

  onModuleDestroy(): void {
    this.stopping = true;
    for (const { waiting } of this.consumers.values()) waiting.clear();
  }

  private pump(consumer: Consumer): void {
    for (const id of consumer.waiting) {
      if (consumer.running >= consumer.concurrency) return;
      consumer.waiting.delete(id);
      consumer.running += 1;
      void this.handle(consumer, id);
    }
  }

  private async handle(consumer: Consumer, id: string): Promise<void> {
    try {
      await consumer.handler(id);
    } catch (error) {
      this.logger.warn({ err: error, id }, 'A hint could not be handled; its row will be published again');
    } finally {
      consumer.running -= 1;
      this.pump(consumer);
    }
  }
}

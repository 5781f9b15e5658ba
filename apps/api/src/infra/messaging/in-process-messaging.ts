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

interface Consumer {
  handler: HintHandler;
  concurrency: number;
  running: number;
  /** An id that waits already is not noted twice. */
  waiting: Set<string>;
}

/** Hints within one process. Rows that another process made are found by the relay loop, hence its haste. */
export class InProcessMessaging extends Messaging implements OnModuleDestroy {
  override readonly pace: PublishPace = { republishAfterMs: 200, minPollMs: 20, maxPollMs: 1_000 };
  private readonly logger = new Logger(InProcessMessaging.name);
  private readonly consumers = new Map<HintKind, Consumer>();
  private stopping = false;

  /** `works`: whether this process consumes. */
  constructor(private readonly works: boolean) {
    super();
  }

  async publish(kind: HintKind, ids: readonly string[]): Promise<void> {
    const consumer = this.consumers.get(kind);
    if (consumer === undefined || this.stopping) return;
    for (const id of ids) if (consumer.waiting.size < MAX_WAITING) consumer.waiting.add(id);
    // Never within the publisher's own call.
    setImmediate(() => this.pump(consumer));
  }

  consume(kind: HintKind, handler: HintHandler, { concurrency = DEFAULT_CONCURRENCY }: ConsumeOptions = {}) {
    if (!this.works) return;
    if (this.consumers.has(kind)) throw new Error(`Hints of the kind ${kind} have a consumer already`);
    this.consumers.set(kind, { handler, concurrency, running: 0, waiting: new Set() });
  }

  state(): MessagingState {
    return 'in-process';
  }

  hasCapacity(kind: HintKind): boolean {
    const consumer = this.consumers.get(kind);
    return consumer !== undefined && !this.stopping && consumer.waiting.size < MAX_WAITING;
  }

  /** Nothing here is lost while the process lives; the relay loops look at their start. */
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
      this.logger.warn({ err: error, id }, 'A hint could not be handled; its row is hinted at again');
    } finally {
      consumer.running -= 1;
      this.pump(consumer);
    }
  }
}

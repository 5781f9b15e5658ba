import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { PlatformConfig } from '../config/platform-config.ts';
import { Messaging } from './messaging.ts';
import { OutboxPublisher, type OutboxSource } from './outbox-publisher.ts';

/** The outbox publishers of a worker process. They stop before the connections are closed. */
@Injectable()
export class OutboxPublishersRegistry implements BeforeApplicationShutdown {
  private readonly publishers: OutboxPublisher[] = [];

  constructor(
    private readonly messaging: Messaging,
    private readonly config: PlatformConfig,
  ) {}

  /** Starts a publisher. Call it in `onApplicationBootstrap`, after `consume`. */
  register(source: OutboxSource): void {
    if (!this.config.isWorker) return;
    const publisher = new OutboxPublisher(this.messaging, source);
    this.publishers.push(publisher);
    publisher.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.publishers.map((publisher) => publisher.stop()));
  }
}

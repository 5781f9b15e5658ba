import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { PlatformConfig } from '../config/platform-config.ts';
import { Messaging } from './messaging.ts';
import { OutboxPublisher, type OutboxSource } from './outbox-publisher.ts';

/** The relay loops of the process, where it works; they end before the connections do. */
@Injectable()
export class OutboxPublishers implements BeforeApplicationShutdown {
  private readonly loops: OutboxPublisher[] = [];

  constructor(
    private readonly messaging: Messaging,
    private readonly config: PlatformConfig,
  ) {}

  /** To be called at the start of the application (`onApplicationBootstrap`), after `consume`. */
  register(source: OutboxSource): void {
    if (!this.config.works) return;
    const loop = new OutboxPublisher(this.messaging, source);
    this.loops.push(loop);
    loop.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.loops.map((loop) => loop.stop()));
  }
}

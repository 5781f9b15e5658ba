import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { PlatformConfig } from '../config/platform-config.ts';
import { Messaging } from './messaging.ts';
import { RelayLoop, type RelaySource } from './outbox-publisher.ts';

/** The relay loops of the process, where it works; they end before the connections do. */
@Injectable()
export class RelayLoops implements BeforeApplicationShutdown {
  private readonly loops: RelayLoop[] = [];

  constructor(
    private readonly messaging: Messaging,
    private readonly config: PlatformConfig,
  ) {}

  /** To be called at the start of the application (`onApplicationBootstrap`), after `consume`. */
  register(source: RelaySource): void {
    if (!this.config.works) return;
    const loop = new RelayLoop(this.messaging, source);
    this.loops.push(loop);
    loop.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.loops.map((loop) => loop.stop()));
  }
}

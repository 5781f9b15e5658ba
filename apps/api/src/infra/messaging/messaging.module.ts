import { Module, type DynamicModule } from '@nestjs/common';
import type { PlatformConfig } from '../config/platform-config.ts';
import { BullMessaging } from './bull-messaging.ts';
import { InProcessMessaging } from './in-process-messaging.ts';
import { Messaging } from './messaging.ts';
import { OutboxPublishersRegistry } from './outbox-publishers.registry.ts';

/** Hints by Redis if it is configured, otherwise within the process. */
@Module({})
export class MessagingModule {
  static with({ redisUrl, isWorker }: PlatformConfig): DynamicModule {
    const messaging =
      redisUrl === null ? new InProcessMessaging(isWorker) : new BullMessaging(redisUrl, isWorker);
    return {
      module: MessagingModule,
      global: true,
      providers: [{ provide: Messaging, useValue: messaging }, OutboxPublishersRegistry],
      exports: [Messaging, OutboxPublishersRegistry],
    };
  }
}

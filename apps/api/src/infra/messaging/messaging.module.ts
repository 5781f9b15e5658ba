import { Module, type DynamicModule } from '@nestjs/common';
import type { PlatformConfig } from '../config/platform-config.ts';
import { BullMessaging } from './bull-messaging.ts';
import { InProcessMessaging } from './in-process-messaging.ts';
import { Messaging } from './messaging.ts';
import { OutboxPublishers } from './outbox-publishers.ts';

/** Hints by Redis where there is one, within the process otherwise. */
@Module({})
export class MessagingModule {
  static with({ redisUrl, works }: PlatformConfig): DynamicModule {
    const messaging = redisUrl === null ? new InProcessMessaging(works) : new BullMessaging(redisUrl, works);
    return {
      module: MessagingModule,
      global: true,
      providers: [{ provide: Messaging, useValue: messaging }, OutboxPublishers],
      exports: [Messaging, OutboxPublishers],
    };
  }
}

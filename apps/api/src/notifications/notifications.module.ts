import { Module, type OnModuleInit } from '@nestjs/common';
import { ApplicationsModule } from '../applications/applications.module.ts';
import { AuthModule } from '../auth/auth.module.ts';
import { EventsModule } from '../events/events.module.ts';
import { JobsModule } from '../jobs/jobs.module.ts';
import { TasksModule } from '../tasks/tasks.module.ts';
import { ChannelsController } from './channels/channels.controller.ts';
import { ChannelsService } from './channels/channels.service.ts';
import { ChannelSenderService } from './deliveries/channel-sender.service.ts';
import { DeliveriesController } from './deliveries/deliveries.controller.ts';
import { DeliveriesService } from './deliveries/deliveries.service.ts';
import { DeliveryWorker } from './deliveries/delivery.worker.ts';
import { MailSenderService } from './deliveries/mail-sender.service.ts';
import { NotifierWorker } from './platform/notifier.worker.ts';
import { PlatformEventsController } from './platform/platform-events.controller.ts';
import { PlatformEventsService } from './platform/platform-events.service.ts';
import { PlatformUpgradesWorker } from './platform/platform-upgrades.worker.ts';
import { TellingService } from './platform/telling.service.ts';
import { MetricsRegistry } from '../infra/metrics/metrics.registry.ts';
import { DELIVERIES_DUE } from './deliveries/deliveries.store.ts';

@Module({
  imports: [AuthModule, TasksModule, JobsModule, EventsModule, ApplicationsModule],
  controllers: [ChannelsController, DeliveriesController, PlatformEventsController],
  providers: [
    ChannelsService,
    ChannelSenderService,
    DeliveriesService,
    DeliveryWorker,
    MailSenderService,
    NotifierWorker,
    PlatformEventsService,
    PlatformUpgradesWorker,
    TellingService,
  ],
})
export class NotificationsModule implements OnModuleInit {
  constructor(private readonly metrics: MetricsRegistry) {}

  onModuleInit(): void {
    this.metrics.waiting('notifications', DELIVERIES_DUE);
  }
}

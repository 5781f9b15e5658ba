import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.ts';
import { JobsModule } from '../jobs/jobs.module.ts';
import { TasksModule } from '../tasks/tasks.module.ts';
import { ChannelsController } from './channels/channels.controller.ts';
import { ChannelsService } from './channels/channels.service.ts';
import { ChannelSenderService } from './deliveries/channel-sender.service.ts';
import { DeliveriesController } from './deliveries/deliveries.controller.ts';
import { DeliveriesService } from './deliveries/deliveries.service.ts';
import { DeliveryWorker } from './deliveries/delivery.worker.ts';
import { NotifierWorker } from './platform/notifier.worker.ts';
import { TellingService } from './platform/telling.service.ts';

@Module({
  imports: [AuthModule, TasksModule, JobsModule],
  controllers: [ChannelsController, DeliveriesController],
  providers: [
    ChannelsService,
    ChannelSenderService,
    DeliveriesService,
    DeliveryWorker,
    NotifierWorker,
    TellingService,
  ],
})
export class NotificationsModule {}

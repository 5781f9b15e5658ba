import { Injectable, type OnModuleInit } from '@nestjs/common';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { ClaimWorker } from '../../infra/database/claim-worker.ts';
import { BackgroundDatabase } from '../../infra/database/database.ts';
import { SweeperWorker } from '../../infra/database/sweeper.worker.ts';
import { failpoint } from '../../infra/runtime/failpoints.ts';
import { retryDelayMs } from '../../jobs/webhooks/webhook-schedule.ts';
import { ChannelsService } from '../channels/channels.service.ts';
import { takeTurn } from '../channels/channels.store.ts';
import { NotificationChannelEntity } from '../channels/notification-channel.entity.ts';
import { endOfQuiet } from '../channels/quiet-hours.ts';
import { toItem } from '../messages/message.ts';
import { ChannelSenderService } from './channel-sender.service.ts';
import {
  claimDelivery,
  DELIVERIES_DUE,
  endAttempt,
  listNotifications,
  postponeDelivery,
  purgeDeliveries,
  purgeNotifications,
  type ClaimedDelivery,
} from './deliveries.store.ts';

/** Most of it is waiting for servers. */
const MAX_RUNNING = 16;
/** More are made only of deliveries whose processes died. */
const MAX_ATTEMPTS = 10;

/** Sends what waits, one delivery for each claim, so that spaces take turns. */
@Injectable()
export class DeliveryWorker extends ClaimWorker<ClaimedDelivery> implements OnModuleInit {
  private readonly publicUrl: string;

  constructor(
    config: PlatformConfig,
    database: BackgroundDatabase,
    private readonly channels: ChannelsService,
    private readonly sender: ChannelSenderService,
    private readonly sweeper: SweeperWorker,
  ) {
    super(config, database, {
      name: 'Notifications',
      maxRunning: MAX_RUNNING,
      waiting: DELIVERIES_DUE,
      claim: claimDelivery,
    });
    this.publicUrl = config.publicUrl;
  }

  onModuleInit(): void {
    this.sweeper.register('notification deliveries', (limit) => purgeDeliveries(this.database, limit));
    this.sweeper.register('notifications', (limit) => purgeNotifications(this.database, limit));
  }

  /** Makes one attempt of a claimed delivery and stores what became of it. */
  async attempt(delivery: ClaimedDelivery): Promise<void> {
    const channel = await this.database.manager.findOneByOrFail(NotificationChannelEntity, {
      id: delivery.channelId,
    });
    const { id: deliveryId, spaceId, isTest, count, attempts, at } = delivery;
    if (channel.deletedAt !== null || (!channel.enabled && !isTest)) {
      const error = channel.deletedAt === null ? 'The channel is disabled' : 'The channel was deleted';
      await endAttempt(this.database, delivery, { request: null, response: null, error, retryMs: null });
      return;
    }
    if (attempts > MAX_ATTEMPTS) {
      const error = 'Every attempt was interrupted';
      return endAttempt(this.database, delivery, { request: null, response: null, error, retryMs: null });
    }
    const notBefore =
      isTest || delivery.resendOf !== null ? null : await this.findStart(channel, attempts === 1);
    if (notBefore !== null) return postponeDelivery(this.database, delivery, notBefore);
    const items = (await listNotifications(this.database, deliveryId)).map((notification) =>
      toItem(this.publicUrl, notification),
    );
    const message = { deliveryId, spaceId, channelName: channel.name, isTest, count, items, at };
    failpoint('notifications.before-send');
    const sent = await this.sender.send(channel, this.channels.open(channel), message);
    failpoint('notifications.after-send');
    const retryMs = sent.error === null || isTest ? null : retryDelayMs(attempts);
    await endAttempt(this.database, delivery, { ...sent, retryMs });
  }

  /** When a delivery may be sent; null: now. The first attempt takes the turn of the channel. */
  private async findStart(
    { id, quietHours }: NotificationChannelEntity,
    isFirst: boolean,
  ): Promise<Date | null> {
    const now = new Date();
    const awake = endOfQuiet(quietHours, now);
    if (awake > now) return awake;
    const next = isFirst ? await takeTurn(this.database, id) : null;
    return next && endOfQuiet(quietHours, next);
  }

  /** Never rejects: an attempt that nobody ends is repeated after its lease. */
  protected async execute(delivery: ClaimedDelivery): Promise<void> {
    try {
      await this.attempt(delivery);
    } catch (err) {
      this.logger.warn({ err, delivery: delivery.id }, 'A notification could not be sent; retrying');
      await this.giveBack(delivery).catch(() => undefined);
    }
  }

  /** If this fails as well, the lease of the attempt ends. */
  private giveBack(delivery: ClaimedDelivery): Promise<void> {
    const retryMs = delivery.isTest ? null : retryDelayMs(delivery.attempts);
    const error = 'The message could not be sent';
    return endAttempt(this.database, delivery, { request: null, response: null, error, retryMs });
  }
}

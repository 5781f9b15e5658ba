import { Injectable } from '@nestjs/common';
import type { NotificationDelivery, NotificationDeliveryDetail, Page } from '@platform/contracts';
import { recordAudit } from '../../auth/audit/audit.ts';
import type { AuditedCall } from '../../auth/principals/caller.decorator.ts';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { Database } from '../../infra/database/database.ts';
import { conflict } from '../../infra/errors/app-error.ts';
import { Cursors } from '../../infra/requests/cursors.ts';
import { getChannel } from '../channels/channels.store.ts';
import { toItem } from '../messages/message.ts';
import type { NotificationDeliveryQueryDto } from './deliveries.dto.ts';
import {
  getDelivery,
  insertAttempted,
  insertResend,
  listDeliveries,
  listNotifications,
  type DeliveryFilter,
} from './deliveries.store.ts';
import { DeliveryWorker } from './delivery.worker.ts';
import type { NotificationDeliveryEntity } from './notification-delivery.entity.ts';

/** What admins see and do about deliveries. */
@Injectable()
export class DeliveriesService {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly config: PlatformConfig,
    private readonly worker: DeliveryWorker,
  ) {}

  /** Newest first. */
  async list(
    spaceId: string,
    { limit, cursor, ...wanted }: NotificationDeliveryQueryDto,
  ): Promise<Page<NotificationDelivery>> {
    const { channelId = null, status = null } = wanted as Partial<DeliveryFilter>;
    const filter = { notificationDeliveriesOf: spaceId, channelId, status };
    const before = this.cursors.idAfter(cursor, filter);
    const { manager } = this.database;
    const found = await listDeliveries(manager, spaceId, { channelId, status }, before, limit + 1);
    return this.cursors.page(found, limit, filter, ({ id }) => [id], toDelivery);
  }

  async get(spaceId: string, id: string): Promise<NotificationDeliveryDetail> {
    const delivery = await getDelivery(this.database.manager, spaceId, id);
    const notifications = await listNotifications(this.database, id);
    const { request, response } = delivery;
    return {
      ...toDelivery(delivery),
      notifications: notifications.map((notification) => {
        const { at, ...item } = toItem(this.config.publicUrl, notification);
        return { ...item, at: at.toISOString() };
      }),
      request,
      response,
    };
  }

  async resend({ by, requestId }: AuditedCall, id: string): Promise<NotificationDelivery> {
    const { spaceId } = by;
    const resent = await this.database.transaction(async (tx) => {
      const delivery = await getDelivery(tx, spaceId, id);
      if (delivery.status === 'PENDING') throw conflict('The delivery waits to be sent already');
      await getChannel(tx, spaceId, delivery.channelId);
      const resendId = await insertResend(tx, delivery);
      const target = { targetType: 'notification_delivery', targetId: id };
      await recordAudit(tx, by, { action: 'notification-delivery.resend', ...target, requestId });
      return getDelivery(tx, spaceId, resendId);
    });
    this.worker.wake();
    return toDelivery(resent);
  }

  /** Stored like any other delivery, and attempted once. */
  async test({ by, requestId }: AuditedCall, channelId: string): Promise<NotificationDeliveryDetail> {
    const { spaceId } = by;
    const delivery = await this.database.transaction(async (tx) => {
      const { id } = await getChannel(tx, spaceId, channelId);
      const target = { targetType: 'notification_channel', targetId: id };
      await recordAudit(tx, by, { action: 'notification-channel.test', ...target, requestId });
      return insertAttempted(tx, { spaceId, id });
    });
    await this.worker.attempt(delivery);
    return this.get(spaceId, delivery.id);
  }
}

function toDelivery(delivery: NotificationDeliveryEntity): NotificationDelivery {
  const { id, spaceId, channelId, status, isTest, resendOf, count, attempts, lastError } = delivery;
  return {
    id,
    spaceId,
    channelId,
    status,
    isTest,
    resendOf,
    count,
    attempts,
    dueAt: delivery.dueAt?.toISOString() ?? null,
    lastError,
    createdAt: delivery.createdAt.toISOString(),
    endedAt: delivery.endedAt?.toISOString() ?? null,
  };
}

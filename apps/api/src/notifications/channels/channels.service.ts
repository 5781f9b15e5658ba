import { Injectable } from '@nestjs/common';
import type {
  CreateNotificationChannelRequest,
  NotificationChannel,
  Page,
  UpdateNotificationChannelRequest,
} from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { recordAudit } from '../../auth/audit/audit.ts';
import type { AuditedCall } from '../../auth/principals/caller.decorator.ts';
import { SecretBox } from '../../infra/crypto/secret-box.ts';
import { Database } from '../../infra/database/database.ts';
import { insertRow, updateRow } from '../../infra/database/entity-rows.ts';
import { exactlyOne } from '../../infra/database/rows.ts';
import { conflict } from '../../infra/errors/app-error.ts';
import { Cursors } from '../../infra/requests/cursors.ts';
import type { PageDto } from '../../infra/requests/page.dto.ts';
import { changeChannel, newChannel, toChannel, type ChannelSecrets } from './channel-definition.ts';
import { countChannels, getChannel, listChannels } from './channels.store.ts';
import { NotificationChannelEntity } from './notification-channel.entity.ts';

const MAX_CHANNELS = 50;

/** Manages the channels over which spaces are told what happens. */
@Injectable()
export class ChannelsService {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly secrets: SecretBox,
  ) {}

  async list(spaceId: string, { limit, cursor }: PageDto): Promise<Page<NotificationChannel>> {
    const filter = { notificationChannelsOf: spaceId };
    const before = this.cursors.idAfter(cursor, filter);
    const channels = await listChannels(this.database.manager, spaceId, before, limit + 1);
    return this.cursors.page(
      channels,
      limit,
      filter,
      ({ id }) => [id],
      (channel) => this.describe(channel),
    );
  }

  async get(spaceId: string, id: string): Promise<NotificationChannel> {
    return this.describe(await getChannel(this.database.manager, spaceId, id));
  }

  async create(call: AuditedCall, request: CreateNotificationChannelRequest): Promise<NotificationChannel> {
    const { spaceId, userId } = call.by;
    const { secrets, ...definition } = newChannel(request);
    return this.database.transaction(async (tx) => {
      if ((await countChannels(tx, spaceId)) >= MAX_CHANNELS)
        throw conflict(`The space has ${MAX_CHANNELS} channels, which is the most that it can have`);
      const { id } = await exactlyOne<{ id: string }>(tx, 'select uuid_v7() as id');
      const sealed = this.seal({ spaceId, id }, secrets);
      const values = { ...definition, id, spaceId, sealed, createdBy: userId };
      const channel = await insertRow(tx, NotificationChannelEntity, values);
      await audit(tx, call, 'create', channel);
      return this.describe(channel);
    });
  }

  async update(
    call: AuditedCall,
    id: string,
    change: UpdateNotificationChannelRequest,
  ): Promise<NotificationChannel> {
    return this.database.transaction(async (tx) => {
      const current = await getChannel(tx, call.by.spaceId, id, { lock: true });
      const before = { ...current, secrets: this.open(current) };
      const { secrets, ...definition } = changeChannel(before, change);
      const { name, url, smtp, events, minSeverity, digestMinutes, quietHours, enabled } = definition;
      const sealed = this.seal(current, secrets);
      const fields = { name, url, smtp, events, minSeverity, digestMinutes, quietHours, enabled, sealed };
      const updatedAt = () => 'clock_timestamp()';
      const channel = await updateRow(tx, NotificationChannelEntity, { id }, { ...fields, updatedAt });
      await audit(tx, call, 'update', channel, { fields: Object.keys(change) });
      return this.describe(channel);
    });
  }

  async delete(call: AuditedCall, id: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      const channel = await getChannel(tx, call.by.spaceId, id, { lock: true });
      const deleted = { deletedAt: () => 'clock_timestamp()', enabled: false, sealed: null };
      await updateRow(tx, NotificationChannelEntity, { id }, deleted);
      await audit(tx, call, 'delete', channel);
    });
  }

  open({ spaceId, id, sealed }: NotificationChannelEntity): ChannelSecrets {
    if (sealed === null) return { url: null, secret: null, password: null };
    return JSON.parse(this.secrets.open(placeOf(spaceId, id), sealed)) as ChannelSecrets;
  }

  private describe(channel: NotificationChannelEntity): NotificationChannel {
    return toChannel(channel, this.open(channel));
  }

  private seal({ spaceId, id }: { spaceId: string; id: string }, secrets: ChannelSecrets): string | null {
    if (Object.values(secrets).every((secret) => secret === null)) return null;
    return this.secrets.seal(placeOf(spaceId, id), JSON.stringify(secrets));
  }
}

const placeOf = (spaceId: string, recordId: string) => ({
  spaceId,
  recordId,
  field: 'notificationChannel',
});

/** Records the names of changed fields only: their values may be secrets. */
async function audit(
  tx: EntityManager,
  { by, requestId }: AuditedCall,
  verb: 'create' | 'update' | 'delete',
  { id, name, kind }: NotificationChannelEntity,
  details: object = {},
): Promise<void> {
  await recordAudit(tx, by, {
    action: `notification-channel.${verb}`,
    targetType: 'notification_channel',
    targetId: id,
    details: { name, kind, ...details },
    requestId,
  });
}

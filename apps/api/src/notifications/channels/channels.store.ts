import { IsNull, LessThan, Not, type EntityManager } from 'typeorm';
import { missingOrForeign, requireUuid } from '../../auth/principals/resource-scope.ts';
import { exactlyOne, rows, type Sql } from '../../infra/database/rows.ts';
import { NotificationChannelEntity } from './notification-channel.entity.ts';

export function listChannels(
  tx: EntityManager,
  spaceId: string,
  before: string | null,
  limit: number,
): Promise<NotificationChannelEntity[]> {
  return tx.find(NotificationChannelEntity, {
    where: { spaceId, deletedAt: IsNull(), ...(before !== null && { id: LessThan(before) }) },
    order: { id: 'DESC' },
    take: limit,
  });
}

/** Throws NOT_FOUND, or FORBIDDEN for a channel of another space. */
export async function getChannel(
  tx: EntityManager,
  spaceId: string,
  id: string,
  { lock = false } = {},
): Promise<NotificationChannelEntity> {
  const label = `Channel ${id}`;
  const where = { spaceId, id: requireUuid(id, label), deletedAt: IsNull() };
  const channel = await tx.findOne(NotificationChannelEntity, {
    where,
    ...(lock && { lock: { mode: 'pessimistic_write' } }),
  });
  if (channel !== null) return channel;
  const foreign = { id, spaceId: Not(spaceId), deletedAt: IsNull() };
  throw await missingOrForeign(tx, NotificationChannelEntity, foreign, label);
}

export async function countChannels(sql: Sql, spaceId: string): Promise<number> {
  const { count } = await exactlyOne<{ count: number }>(
    sql,
    'select count(*)::int as count from notification_channel where space_id = $1 and deleted_at is null',
    [spaceId],
  );
  return count;
}

/** Returns the channels that listen, of some spaces. */
export function listListening(
  tx: EntityManager,
  spaceIds: readonly string[],
): Promise<NotificationChannelEntity[]> {
  return tx
    .createQueryBuilder(NotificationChannelEntity, 'channel')
    .where('channel.spaceId = any(:spaceIds) and channel.enabled and channel.deletedAt is null', { spaceIds })
    .getMany();
}

/** Notes that a message is sent, unless the last one is too recent. Returns when the next may be sent, or null: now. */
export async function takeTurn(sql: Sql, id: string): Promise<Date | null> {
  const taken = await rows(
    sql,
    `update notification_channel set last_sent_at = clock_timestamp()
     where id = $1 and (last_sent_at is null
       or last_sent_at <= clock_timestamp() - digest_minutes * interval '1 minute')
     returning id`,
    [id],
  );
  if (taken.length > 0) return null;
  const { at } = await exactlyOne<{ at: Date }>(
    sql,
    `select last_sent_at + digest_minutes * interval '1 minute' as at from notification_channel where id = $1`,
    [id],
  );
  return at;
}

import type { NotificationDeliveryStatus } from '@platform/contracts';
import { LessThan, Not, type EntityManager } from 'typeorm';
import { missingOrForeign, requireUuid } from '../../auth/principals/resource-scope.ts';
import { affected, exactlyOne, firstRow, rows, violates, type Sql } from '../../infra/database/rows.ts';
import { MAX_ITEMS } from '../messages/message.ts';
import { NotificationDeliveryEntity, type Sent } from './notification-delivery.entity.ts';
import type { NotificationEntity } from './notification.entity.ts';

/** Much longer than an attempt may take. */
const LEASE = `interval '1 minute'`;
/** Attempts of a space at the same time, in all processes: slow channels of one space keep no other one waiting. */
const MAX_OF_SPACE = 4;

/** Has rows if a delivery is due, though its space may have as many attempts as it may. */
export const DELIVERIES_DUE = 'select from notification_delivery where due_at <= statement_timestamp()';

/** Stores what happened and was not stored before. Returns the ids of what was stored, in the order of the keys given. */
export async function insertNotification(
  tx: Sql,
  { spaceId, event, key, severity, payload }: Omit<NotificationEntity, 'id' | 'createdAt'>,
): Promise<string | null> {
  const row = await firstRow<{ id: string }>(
    tx,
    `insert into notification (space_id, event, key, severity, payload) values ($1, $2, $3, $4, $5)
     on conflict (space_id, event, key) do nothing returning id`,
    [spaceId, event, key, severity, JSON.stringify(payload)],
  );
  return row?.id ?? null;
}

/** Adds to the open delivery of a channel, or opens one that is due at `dueAt`. It keeps the first 100. */
export async function addToOpen(
  tx: Sql,
  channel: { spaceId: string; id: string },
  notificationIds: readonly string[],
  dueAt: Date,
): Promise<void> {
  const { id, count } = await exactlyOne<{ id: string; count: number }>(
    tx,
    `insert into notification_delivery as delivery (space_id, channel_id, count, due_at, is_open)
     values ($1, $2, $3, $4, true)
     on conflict (channel_id) where is_open do update set count = delivery.count + excluded.count
     returning id, count`,
    [channel.spaceId, channel.id, notificationIds.length, dueAt],
  );
  const room = Math.max(0, MAX_ITEMS - (count - notificationIds.length));
  await insertItems(tx, id, notificationIds.slice(0, room));
}

async function insertItems(tx: Sql, deliveryId: string, notificationIds: readonly string[]): Promise<void> {
  await rows(
    tx,
    'insert into notification_item (delivery_id, notification_id) select $1, unnest($2::uuid[])',
    [deliveryId, notificationIds],
  );
}

export interface ClaimedDelivery {
  id: string;
  spaceId: string;
  channelId: string;
  isTest: boolean;
  resendOf: string | null;
  count: number;
  /** Including this one: the fencing token. */
  attempts: number;
  /** By the clock of the database. */
  at: Date;
}

const CLAIMED = 'id, space_id, channel_id, is_test, resend_of, count, attempts, clock_timestamp() as at';

/**
 * Claims the delivery that has waited longest, of the space with the fewest attempts under way. The spaces are found one by
 * one, so that no claim reads every delivery. Nothing more goes into a claimed delivery.
 */
const CLAIM_DELIVERY = `with recursive waiting as (
    (select space_id from notification_delivery where due_at is not null order by space_id limit 1)
    union all
    select (select delivery.space_id from notification_delivery delivery
      where delivery.due_at is not null and delivery.space_id > waiting.space_id order by delivery.space_id limit 1)
    from waiting where waiting.space_id is not null
  ), busy as materialized (
    select space_id, count(*) as attempts from notification_delivery
    where is_attempted and due_at > statement_timestamp() group by space_id
  ), candidate as materialized (
    select waiting.space_id from waiting left join busy on busy.space_id = waiting.space_id
    where waiting.space_id is not null and coalesce(busy.attempts, 0) < ${MAX_OF_SPACE}
    order by coalesce(busy.attempts, 0), random()
  ), chosen as materialized (
    select due.id from candidate
    cross join lateral (
      select delivery.id from notification_delivery delivery
      where delivery.space_id = candidate.space_id and delivery.due_at <= statement_timestamp()
      order by delivery.due_at limit 1 for update skip locked
    ) due limit 1
  )
  update notification_delivery set attempts = attempts + 1, is_attempted = true, is_open = false,
    due_at = clock_timestamp() + ${LEASE}
  where id = any(array(select id from chosen))
  returning ${CLAIMED}`;

export function claimDelivery(sql: Sql): Promise<ClaimedDelivery | null> {
  return firstRow(sql, CLAIM_DELIVERY);
}

/** Stores a delivery without content that the caller attempts itself. */
export function insertAttempted(tx: Sql, channel: { spaceId: string; id: string }): Promise<ClaimedDelivery> {
  return exactlyOne(
    tx,
    `insert into notification_delivery (space_id, channel_id, count, is_test, is_attempted, attempts, due_at)
     values ($1, $2, 0, true, true, 1, clock_timestamp() + ${LEASE}) returning ${CLAIMED}`,
    [channel.spaceId, channel.id],
  );
}

/** Stores a delivery that sends the content of another one again. Returns its id. */
export async function insertResend(
  tx: Sql,
  { id, spaceId, channelId, count, isTest }: NotificationDeliveryEntity,
): Promise<string> {
  const resend = await exactlyOne<{ id: string }>(
    tx,
    `insert into notification_delivery (space_id, channel_id, count, is_test, resend_of, due_at)
     values ($1, $2, $3, $4, $5, clock_timestamp()) returning id`,
    [spaceId, channelId, count, isTest, id],
  );
  await rows(
    tx,
    `insert into notification_item (delivery_id, notification_id)
     select $1, notification_id from notification_item where delivery_id = $2`,
    [resend.id, id],
  );
  return resend.id;
}

/**
 * Puts off a claimed delivery that is not to be sent yet. The claim was no attempt. What happens meanwhile goes into it again,
 * unless it has been attempted before, or another delivery was opened since the claim.
 */
export async function postponeDelivery(
  sql: Sql,
  { id, attempts }: ClaimedDelivery,
  dueAt: Date,
): Promise<void> {
  const postpone = (isOpen: boolean) =>
    rows(
      sql,
      `update notification_delivery set due_at = $3, attempts = attempts - 1, is_attempted = false, is_open = $4
       where id = $1 and attempts = $2 and status = 'PENDING'`,
      [id, attempts, dueAt, isOpen],
    );
  try {
    await postpone(attempts === 1);
  } catch (error) {
    if (!violates(error, 'notification_delivery_open')) throw error;
    await postpone(false);
  }
}

interface AttemptEnd extends Sent {
  /** Milliseconds until the next attempt of one that failed; null: none. */
  retryMs: number | null;
}

/** Stores how an attempt ended, unless another process has claimed the delivery since. */
export async function endAttempt(
  sql: Sql,
  { id, attempts }: ClaimedDelivery,
  end: AttemptEnd,
): Promise<void> {
  const { request, response, error, retryMs } = end;
  const status = error === null ? 'DELIVERED' : retryMs === null ? 'FAILED' : 'PENDING';
  await rows(
    sql,
    `update notification_delivery set status = $3, last_error = $4, request = $5, response = $6, is_attempted = false,
       due_at = case when $3 = 'PENDING' then clock_timestamp() + $7::float8 * interval '1 millisecond' end,
       ended_at = case when $3 <> 'PENDING' then clock_timestamp() end
     where id = $1 and attempts = $2 and status = 'PENDING'`,
    [id, attempts, status, error, jsonOf(request), jsonOf(response), retryMs],
  );
}

const jsonOf = (value: object | null) => (value === null ? null : JSON.stringify(value));

/** Returns what a delivery tells, in the order in which it happened. */
export function listNotifications(sql: Sql, deliveryId: string): Promise<NotificationEntity[]> {
  return rows(
    sql,
    `select notification.* from notification_item item join notification on notification.id = item.notification_id
     where item.delivery_id = $1 order by notification.id`,
    [deliveryId],
  );
}

export interface DeliveryFilter {
  channelId: string | null;
  status: NotificationDeliveryStatus | null;
}

/** Newest first. Each status is read from its own part of the index. */
export async function listDeliveries(
  tx: EntityManager,
  spaceId: string,
  { channelId, status }: DeliveryFilter,
  before: string | null,
  limit: number,
): Promise<NotificationDeliveryEntity[]> {
  const statuses = status === null ? (['PENDING', 'DELIVERED', 'FAILED'] as const) : [status];
  const found = await Promise.all(
    statuses.map((one) =>
      tx.find(NotificationDeliveryEntity, {
        where: {
          spaceId,
          status: one,
          ...(channelId !== null && { channelId }),
          ...(before !== null && { id: LessThan(before) }),
        },
        order: { id: 'DESC' },
        take: limit,
      }),
    ),
  );
  return found
    .flat()
    .toSorted((a, b) => (a.id < b.id ? 1 : -1))
    .slice(0, limit);
}

/** Throws NOT_FOUND, or FORBIDDEN for a delivery of another space. */
export async function getDelivery(
  tx: EntityManager,
  spaceId: string,
  id: string,
): Promise<NotificationDeliveryEntity> {
  const label = `Delivery ${id}`;
  const where = { spaceId, id: requireUuid(id, label) };
  const delivery = await tx.findOneBy(NotificationDeliveryEntity, where);
  if (delivery !== null) return delivery;
  throw await missingOrForeign(tx, NotificationDeliveryEntity, { id, spaceId: Not(spaceId) }, label);
}

/** Deletes at most `limit` deliveries that ended and are a month old. Returns how many. */
export function purgeDeliveries(sql: Sql, limit: number): Promise<number> {
  return affected(
    sql,
    `delete from notification_delivery where id = any(array(
       select id from notification_delivery
       where due_at is null and created_at < statement_timestamp() - interval '30 days'
       order by created_at limit $1 for update skip locked))`,
    [limit],
  );
}

/** Deletes at most `limit` notifications that are older than what the retries of their deliveries take. Returns how many. */
export function purgeNotifications(sql: Sql, limit: number): Promise<number> {
  return affected(
    sql,
    `delete from notification where id = any(array(
       select id from notification where created_at < statement_timestamp() - interval '33 days'
       order by created_at limit $1 for update skip locked))`,
    [limit],
  );
}

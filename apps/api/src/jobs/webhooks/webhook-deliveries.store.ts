import type { WebhookDeliveryStatus } from '@platform/contracts';
import {
  IsNull,
  LessThan,
  Not,
  type EntityManager,
  type FindOptionsSelect,
  type FindOptionsWhere,
} from 'typeorm';
import { missingOrForeign, requireUuid } from '../../auth/principals/resource-scope.ts';
import { firstRow, rows, type Sql } from '../../infra/database/rows.ts';
import { limitTimes } from '../../infra/requests/limit-times.ts';
import { WebhookAttemptEntity } from './webhook-attempt.entity.ts';
import { WebhookDeliveryEntity } from './webhook-delivery.entity.ts';

/** Each has its own part of the index. */
const HAS_STATUS: Record<WebhookDeliveryStatus, FindOptionsWhere<WebhookDeliveryEntity>> = {
  PENDING: { deliveredAt: IsNull(), nextPublishAt: Not(IsNull()) },
  DELIVERED: { deliveredAt: Not(IsNull()) },
  FAILED: { deliveredAt: IsNull(), nextPublishAt: IsNull() },
};

export function statusOf({
  deliveredAt,
  nextPublishAt,
}: Pick<WebhookDeliveryEntity, 'deliveredAt' | 'nextPublishAt'>): WebhookDeliveryStatus {
  if (deliveredAt !== null) return 'DELIVERED';
  return nextPublishAt === null ? 'FAILED' : 'PENDING';
}

export interface DeliveryFilter {
  status: WebhookDeliveryStatus | null;
  jobId: string | null;
  from: Date | null;
  to: Date | null;
}

const LISTED = {
  id: true,
  spaceId: true,
  jobId: true,
  type: true,
  url: true,
  attempts: true,
  availableAt: true,
  nextPublishAt: true,
  deliveredAt: true,
  lastError: true,
  createdAt: true,
} as const satisfies FindOptionsSelect<WebhookDeliveryEntity>;

export type ListedDelivery = Pick<WebhookDeliveryEntity, keyof typeof LISTED>;

/** The deliveries of a space without their messages, newest first. */
export function listDeliveries(
  tx: EntityManager,
  spaceId: string,
  { status, jobId, ...times }: DeliveryFilter,
  before: string | null,
  limit: number,
): Promise<ListedDelivery[]> {
  const query = tx
    .createQueryBuilder(WebhookDeliveryEntity, 'delivery')
    .select(Object.keys(LISTED).map((column) => `delivery.${column}`))
    .where({ spaceId })
    .orderBy('delivery.id', 'DESC')
    .limit(limit);
  if (status !== null) query.andWhere(HAS_STATUS[status]);
  if (jobId !== null) query.andWhere({ jobId });
  if (before !== null) query.andWhere({ id: LessThan(before) });
  limitTimes(query, 'createdAt', times);
  return query.getMany();
}

/** Throws NOT_FOUND, or FORBIDDEN for a delivery of another space. */
export async function getDelivery(tx: EntityManager, spaceId: string, id: string): Promise<ListedDelivery> {
  const label = `Delivery ${id}`;
  const where = { spaceId, id: requireUuid(id, label) };
  const delivery = await tx.findOne(WebhookDeliveryEntity, { where, select: LISTED });
  if (delivery !== null) return delivery;
  throw await missingOrForeign(tx, WebhookDeliveryEntity, { id, spaceId: Not(spaceId) }, label);
}

/** The first characters of a message, and the bytes of all of it. Both are null once it is no longer kept. */
export async function loadBody(
  sql: Sql,
  id: string,
  chars: number,
): Promise<{ start: string | null; bytes: number | null }> {
  const found = await firstRow<{ start: string | null; bytes: number | null }>(
    sql,
    'select left(body, $2) as start, octet_length(body) as bytes from webhook_delivery where id = $1',
    [id, chars],
  );
  return found ?? { start: null, bytes: null };
}

export interface ListedAttempt extends WebhookAttemptEntity {
  /** Whether it can still end: it is the last one, and has not taken longer than any can. */
  isRunning: boolean;
}

/** The attempts of a delivery that are kept, newest first. */
export function listAttempts(sql: Sql, id: string): Promise<ListedAttempt[]> {
  return rows(
    sql,
    `select attempt.*, attempt.duration_ms is null and attempt.attempt = delivery.attempts
       and delivery.delivered_at is null and delivery.available_at > clock_timestamp() as is_running
     from webhook_attempt attempt join webhook_delivery delivery on delivery.id = attempt.delivery_id
     where attempt.delivery_id = $1 order by attempt.attempt desc`,
    [id],
  );
}

/**
 * Has a delivery that was given up sent once more, if it was attempted so often; `attempts` null: however often. Returns
 * false if that cannot be.
 */
export async function retryDelivery(
  tx: Sql,
  spaceId: string,
  id: string,
  attempts: number | null,
  republishAfterMs: number,
): Promise<boolean> {
  const retried = await firstRow(
    tx,
    `update webhook_delivery set hints = 0, available_at = clock_timestamp(),
       next_publish_at = clock_timestamp() + $4::float8 * interval '1 millisecond'
     where id = $1 and space_id = $2 and delivered_at is null and next_publish_at is null and body is not null
       and attempts = coalesce($3, attempts)
     returning id`,
    [id, spaceId, attempts, republishAfterMs],
  );
  return retried !== null;
}

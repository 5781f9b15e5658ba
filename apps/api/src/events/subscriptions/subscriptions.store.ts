import type { EventFilter, JsonSchema, SubscriptionBatch, SubscriptionDebounce } from '@platform/contracts';
import { In, IsNull, LessThan, MoreThan, Not, type EntityManager } from 'typeorm';
import { missingOrForeign, requireUuid } from '../../auth/principals/resource-scope.ts';
import { updateRows, type ColumnValues } from '../../infra/database/entity-rows.ts';
import { rows, type Sql } from '../../infra/database/rows.ts';
import { SubscriptionEntity } from './subscription.entity.ts';

/** Neither deleted by a person nor retired with its application. */
const ACTIVE = { deletedAt: IsNull(), retiredAt: IsNull() };

const TASK_LOCK = 720_052;
const EVENT_LOCK = 720_053;

export interface SubscriptionFilter {
  applicationId: string | null;
  /** An event, and the applications that have or had one of this name. */
  event: { name: string; applicationIds: readonly string[] } | null;
  taskId: string | null;
}

/** Lists the subscriptions of a space below an id, newest first. */
export function listSubscriptions(
  manager: EntityManager,
  spaceId: string,
  { applicationId, event, taskId }: SubscriptionFilter,
  below: string | null,
  limit: number,
): Promise<SubscriptionEntity[]> {
  const query = manager
    .createQueryBuilder(SubscriptionEntity, 's')
    .where({ spaceId, ...ACTIVE })
    .orderBy('s.id', 'DESC')
    .limit(limit);
  if (below !== null) query.andWhere({ id: LessThan(below) });
  if (applicationId !== null) query.andWhere({ applicationId });
  if (taskId !== null) query.andWhere({ taskId });
  if (event !== null) {
    const { name, applicationIds } = event;
    query.andWhere('s.applicationId = any(:applicationIds::uuid[])', { applicationIds });
    query.andWhere({ event: name });
  }
  return query.getMany();
}

/** Returns to which events subscriptions are, also deleted ones and those that wait for their application. */
export function listSubscribed(
  manager: EntityManager,
  spaceId: string,
  ids: readonly string[],
): Promise<Pick<SubscriptionEntity, 'id' | 'applicationId' | 'event' | 'deletedAt'>[]> {
  return manager.find(SubscriptionEntity, {
    select: { id: true, applicationId: true, event: true, deletedAt: true },
    where: { spaceId, id: In([...ids]) },
  });
}

/** Lists the subscriptions to an event after an id. */
export function listSubscriptionsAfter(
  manager: EntityManager,
  key: Pick<SubscriptionEntity, 'applicationId' | 'event'>,
  after: string,
  limit: number,
): Promise<SubscriptionEntity[]> {
  return manager.find(SubscriptionEntity, {
    where: { ...key, id: MoreThan(after), ...ACTIVE },
    order: { id: 'ASC' },
    take: limit,
  });
}

export async function getSubscription(
  manager: EntityManager,
  spaceId: string,
  id: string,
): Promise<SubscriptionEntity> {
  const label = `Subscription ${id}`;
  requireUuid(id, label);
  const found = await manager.findOneBy(SubscriptionEntity, { spaceId, id, ...ACTIVE });
  return found ?? (await refuse(manager, spaceId, id));
}

/** Changes a subscription. Requires the lock of the space's subscriptions. */
export async function updateSubscription(
  tx: EntityManager,
  spaceId: string,
  id: string,
  change: ColumnValues<SubscriptionEntity>,
): Promise<SubscriptionEntity> {
  requireUuid(id, `Subscription ${id}`);
  const where = { spaceId, id, ...ACTIVE };
  const values = { ...change, updatedAt: () => 'clock_timestamp()' };
  const [updated] = await updateRows(tx, SubscriptionEntity, where, values);
  return updated ?? (await refuse(tx, spaceId, id));
}

async function refuse(manager: EntityManager, spaceId: string, id: string): Promise<never> {
  const elsewhere = { id, spaceId: Not(spaceId) };
  throw await missingOrForeign(manager, SubscriptionEntity, elsewhere, `Subscription ${id}`);
}

/**
 * Lists the subscriptions of a task to an event, which nobody else adds to or changes until the end of the transaction. Requires
 * a lock of the task.
 */
export async function lockSubscriptionsOfTask(
  tx: EntityManager,
  { taskId, applicationId, event }: Pick<SubscriptionEntity, 'taskId' | 'applicationId' | 'event'>,
): Promise<SubscriptionEntity[]> {
  await rows(tx, 'select pg_advisory_xact_lock($1::int, hashtext($2::uuid::text))', [TASK_LOCK, taskId]);
  return tx.find(SubscriptionEntity, {
    where: { taskId, applicationId, event, ...ACTIVE },
    order: { id: 'ASC' },
  });
}

/** Returns whether an event has so many subscriptions. Nobody else adds one until the end of the transaction. */
export async function lockFullEvent(
  tx: EntityManager,
  { applicationId, event }: Pick<SubscriptionEntity, 'applicationId' | 'event'>,
  limit: number,
): Promise<boolean> {
  await rows(tx, `select pg_advisory_xact_lock($1::int, hashtext($2::uuid || '/' || $3::text))`, [
    EVENT_LOCK,
    applicationId,
    event,
  ]);
  const found = await rows(
    tx,
    `select 1 from subscription
     where application_id = $1 and event = $2 and deleted_at is null and retired_at is null limit $3`,
    [applicationId, event, limit],
  );
  return found.length === limit;
}

/** Returns an active subscription of a task; null if it has none. */
export function findSubscriptionOfTask(
  tx: EntityManager,
  taskId: string,
): Promise<SubscriptionEntity | null> {
  return tx.findOneBy(SubscriptionEntity, { taskId, ...ACTIVE });
}

/** Lists the events of the enabled subscriptions of tasks. */
export async function listEventsOfTasks(
  manager: EntityManager,
  taskIds: readonly string[],
  limit: number,
): Promise<string[]> {
  if (taskIds.length === 0) return [];
  const found = await manager.find(SubscriptionEntity, {
    select: { event: true },
    where: { taskId: In([...taskIds]), enabled: true, ...ACTIVE },
    take: limit,
  });
  return found.map(({ event }) => event).sort();
}

/** A subscription that new schemas can break. */
export interface ActiveSubscription {
  id: string;
  event: string;
  taskId: string;
  filter: EventFilter | null;
  debounce: SubscriptionDebounce | null;
  batch: SubscriptionBatch | null;
  /** Null if a user created it. */
  defaultKey: string | null;
}

/** Lists subscriptions to events of an application, and those of tasks, in the order of their events and ids, after one of them. */
export function listActiveSubscriptions(
  sql: Sql,
  applicationId: string,
  taskIds: readonly string[],
  after: Pick<ActiveSubscription, 'event' | 'id'> | null,
  limit: number,
): Promise<ActiveSubscription[]> {
  return rows(
    sql,
    `select id, event, task_id, filter, debounce, batch, default_key from subscription
     where (application_id = $1 or task_id = any($5::uuid[])) and deleted_at is null and retired_at is null
       and (event, id) > ($2::text, $3::uuid)
     order by event, id limit $4`,
    [applicationId, after?.event ?? '', after?.id ?? '00000000-0000-0000-0000-000000000000', limit, taskIds],
  );
}

/** Lists the schemas of the events that a task is subscribed to, of those that are registered, and whether they are collected. */
export function listSchemasOfTask(
  tx: Sql,
  taskId: string,
): Promise<{ payloadSchema: JsonSchema; isBatch: boolean }[]> {
  return rows(
    tx,
    `select e.payload_schema, s.is_batch from (
       select distinct application_id, event, batch is not null as is_batch from subscription
       where task_id = $1 and deleted_at is null and retired_at is null
     ) s join registered_event e on e.application_id = s.application_id and e.name = s.event
     where e.retired_at is null order by e.name`,
    [taskId],
  );
}

/** Deletes the subscriptions of a task, which would never fire again. */
export async function deleteSubscriptionsOfTask(tx: Sql, taskId: string): Promise<void> {
  await rows(
    tx,
    'update subscription set deleted_at = clock_timestamp() where task_id = $1 and deleted_at is null',
    [taskId],
  );
}

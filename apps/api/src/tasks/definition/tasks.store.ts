import type { TaskType, Workflow } from '@platform/contracts';
import { In, IsNull, Not, type EntityManager } from 'typeorm';
import { missingOrForeign, requireUuid } from '../../auth/principals/resource-scope.ts';
import { insertRow, updateRow, updateRows, type ColumnValues } from '../../infra/database/entity-rows.ts';
import { preparedRows, readTime, rows, type PreparedSql, type Sql } from '../../infra/database/rows.ts';
import {
  byName,
  byTime,
  loadFitting,
  selectPart,
  type Listed,
  type ListPart,
  type NamedList,
} from '../../infra/requests/named-lists.ts';
import { MOST_FOUND } from '../../search/search.registry.ts';
import { keptDueTime, nextDueTime } from './schedule.ts';
import type { TaskFacts } from './task-facts.ts';
import { TaskEntity } from './task.entity.ts';

/** Returns what other modules may know of tasks, deleted ones included. */
export function listTaskFacts(
  sql: PreparedSql,
  spaceId: string,
  ids: readonly string[],
): Promise<TaskFacts[]> {
  return preparedRows(
    sql,
    'list_task_facts',
    `select id, name, type, enabled, disabled_reason, owner_user_id, concurrency_key,
       deleted_at is null and retired_at is null as exists
     from task where space_id = $1 and id = any((select $2::uuid[])::uuid[])`,
    [spaceId, ids],
  );
}

/** Returns the workflows of tasks of people: those of applications follow from their manifests. */
export function listOwnWorkflows(
  sql: Sql,
  spaceId: string,
  ids: readonly string[],
): Promise<{ id: string; workflow: Workflow }[]> {
  return rows(
    sql,
    `select id, workflow from task
     where space_id = $1 and id = any($2::uuid[]) and application_id is null and deleted_at is null`,
    [spaceId, ids],
  );
}

export interface TaskFilter {
  spaceId: string;
  /** Null: the tasks of all members. */
  ownerUserId: string | null;
  type: TaskType | null;
  /** Null: of any application or of none. */
  applicationId: string | null;
}

/** How tasks are searched and sorted. */
export const TASK_LIST: NamedList<TaskEntity> = {
  id: 'task.id',
  idOf: ({ id }) => id,
  text: 'task.name',
  keys: {
    name: byName('task.name', ({ name }) => name),
    updatedAt: byTime('task.updated_at', ({ updatedAt }) => updatedAt.toISOString()),
  },
};

/** Returns a part of the tasks of a space, without those that their application no longer has: fewer than it may have if they are large. */
export async function listTasks(
  tx: EntityManager,
  { spaceId, ownerUserId, type, applicationId }: TaskFilter,
  part: ListPart,
): Promise<Listed<TaskEntity>> {
  const query = tx.createQueryBuilder(TaskEntity, 'task').where({
    spaceId,
    deletedAt: IsNull(),
    retiredAt: IsNull(),
    ...(ownerUserId !== null && { ownerUserId }),
    ...(type !== null && { type }),
    // As in the index `task_of_application`.
    ...(applicationId !== null && { applicationId, applicationKey: Not(IsNull()) }),
  });
  const bytes = 'octet_length(task.workflow::text)';
  return loadFitting(tx, TaskEntity, selectPart(query, TASK_LIST, part), { bytes, limit: part.limit });
}

/** Finds tasks by words or by id, in no order. `ownerUserId`: null for those of all members. */
export function findTasks(
  sql: Sql,
  { spaceId, ownerUserId }: Pick<TaskFilter, 'spaceId' | 'ownerUserId'>,
  { text = null, id = null }: { text?: string | null; id?: string | null },
): Promise<{ id: string; name: string; type: TaskType }[]> {
  const sought = id === null ? 'search_terms(space_id, name) @@ search_query($1, $3)' : 'id = $3::uuid';
  return rows(
    sql,
    `select id, name, type from task
     where space_id = $1 and deleted_at is null and retired_at is null and ${sought}
       and ($2::uuid is null or owner_user_id = $2)
     limit ${MOST_FOUND}`,
    [spaceId, ownerUserId, id ?? text],
  );
}

/** Returns a task, retired ones included. Throws NOT_FOUND, or FORBIDDEN for a task of another space. */
export async function getTask(tx: EntityManager, spaceId: string, id: string): Promise<TaskEntity> {
  const where = { spaceId, id: requireUuid(id, `Task ${id}`), deletedAt: IsNull() };
  return (await tx.findOneBy(TaskEntity, where)) ?? (await refuseTask(tx, id));
}

/** As `getTask`, and locks the row until the transaction ends. */
export async function lockTask(tx: EntityManager, spaceId: string, id: string): Promise<TaskEntity> {
  const task = await tx.findOne(TaskEntity, {
    where: { spaceId, id: requireUuid(id, `Task ${id}`), deletedAt: IsNull() },
    lock: { mode: 'pessimistic_write' },
  });
  return task ?? (await refuseTask(tx, id));
}

export async function deleteTask(tx: EntityManager, { spaceId, id }: TaskEntity): Promise<void> {
  await tx.update(TaskEntity, { spaceId, id }, { deletedAt: () => 'clock_timestamp()', nextDueAt: null });
}

/** Disables the tasks of a person who leaves the space, and returns them. A retired task gets a new owner before it can run again. */
export function disableTasksOf(
  tx: EntityManager,
  spaceId: string,
  ownerUserId: string,
): Promise<TaskEntity[]> {
  return updateRows(
    tx,
    TaskEntity,
    { spaceId, ownerUserId, enabled: true, deletedAt: IsNull(), retiredAt: IsNull() },
    {
      enabled: false,
      disabledReason: 'OWNER_REMOVED',
      nextDueAt: null,
      updatedAt: () => 'clock_timestamp()',
    },
  );
}

/** The tasks that a person owns, oldest first. With `isLocked` they stay as they are until the transaction ends. */
export function listOwnedTasks(
  tx: EntityManager,
  { spaceId, ownerUserId }: Pick<TaskEntity, 'spaceId' | 'ownerUserId'>,
  limit: number,
  isLocked = false,
): Promise<TaskEntity[]> {
  return tx.find(TaskEntity, {
    where: { spaceId, ownerUserId, deletedAt: IsNull(), retiredAt: IsNull() },
    order: { id: 'ASC' },
    take: limit,
    ...(isLocked && { lock: { mode: 'pessimistic_write' as const } }),
  });
}

/** Returns a task that is neither deleted nor retired. Its key columns and its type stay until the transaction ends. */
export async function getSharedTask(tx: EntityManager, spaceId: string, id: string): Promise<TaskEntity> {
  const task = await tx.findOne(TaskEntity, {
    where: { spaceId, id: requireUuid(id, `Task ${id}`), deletedAt: IsNull(), retiredAt: IsNull() },
    // Changes of a task lock it for update, which waits for this lock.
    lock: { mode: 'for_key_share' },
  });
  return task ?? (await refuseTask(tx, id));
}

async function refuseTask(tx: EntityManager, id: string): Promise<never> {
  throw await missingOrForeign(tx, TaskEntity, { id, deletedAt: IsNull() }, `Task ${id}`);
}

/** Returns a task of an application, retired or not, and locks it; null if the application never had it. */
export function lockTaskOfApplication(
  tx: EntityManager,
  applicationId: string,
  applicationKey: string,
): Promise<TaskEntity | null> {
  return tx.findOne(TaskEntity, {
    where: { applicationId, applicationKey },
    lock: { mode: 'pessimistic_write' },
  });
}

export function insertTask(tx: EntityManager, values: ColumnValues<TaskEntity>): Promise<TaskEntity> {
  return insertRow(tx, TaskEntity, values);
}

/** Changes a task that the transaction has locked. */
export function updateTask(
  tx: EntityManager,
  { spaceId, id }: TaskEntity,
  values: ColumnValues<TaskEntity>,
): Promise<TaskEntity> {
  return updateRow(tx, TaskEntity, { spaceId, id }, { ...values, updatedAt: () => 'clock_timestamp()' });
}

/** Gives a task that the transaction has locked to a person. One that was disabled because its owner left is enabled. */
export async function giveTask(
  tx: EntityManager,
  task: TaskEntity,
  ownerUserId: string,
): Promise<TaskEntity> {
  if (task.disabledReason === null) return updateTask(tx, task, { ownerUserId });
  const { schedule } = task;
  const nextDueAt = schedule && (keptDueTime(task, schedule) ?? nextDueTime(schedule, await readTime(tx)));
  return updateTask(tx, task, { ownerUserId, enabled: true, disabledReason: null, nextDueAt });
}

/** Locks the tasks that an application has. */
export function lockTasksOfApplication(tx: EntityManager, applicationId: string): Promise<TaskEntity[]> {
  return tx.find(TaskEntity, {
    where: { applicationId, retiredAt: IsNull(), deletedAt: IsNull() },
    order: { id: 'ASC' },
    lock: { mode: 'pessimistic_write' },
  });
}

const toRetire = (applicationId: string, keptKeys: readonly string[]) => ({
  applicationId,
  retiredAt: IsNull(),
  applicationKey: Not(In(keptKeys)),
});

/** Returns the ids of the tasks that `retireTasks` would retire. */
export async function listTasksToRetire(
  tx: EntityManager,
  applicationId: string,
  keptKeys: readonly string[],
): Promise<string[]> {
  const tasks = await tx.find(TaskEntity, { select: { id: true }, where: toRetire(applicationId, keptKeys) });
  return tasks.map(({ id }) => id);
}

/** Retires the tasks of an application except those with the given keys. A retired task is not due. */
export async function retireTasks(
  tx: EntityManager,
  applicationId: string,
  keptKeys: readonly string[],
): Promise<void> {
  await tx.update(TaskEntity, toRetire(applicationId, keptKeys), {
    retiredAt: () => 'clock_timestamp()',
    nextDueAt: null,
  });
}

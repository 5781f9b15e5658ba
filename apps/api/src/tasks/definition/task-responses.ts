import type { Task } from '@platform/contracts';
import type { TaskEntity } from './task.entity.ts';

/** A task as its owner and admins see it. `identifiers` has the identifier of its application by id. */
export function toTask(task: TaskEntity, identifiers: ReadonlyMap<string, string>): Task {
  const { id, name, type, schedule, workflow, version, concurrency, timeoutMs, retry } = task;
  const { concurrencyKey, perKey, enabled, disabledReason } = task;
  return {
    id,
    name,
    type,
    schedule,
    workflow,
    version,
    concurrency,
    concurrencyKey,
    perKey,
    timeoutMs,
    retry,
    enabled,
    disabledReason,
    ownerUserId: task.ownerUserId,
    nextDueAt: task.nextDueAt?.toISOString() ?? null,
    application: toApplication(task, identifiers),
    createdAt: task.createdAt.toISOString(),
    updatedAt: task.updatedAt.toISOString(),
  };
}

function toApplication(
  { applicationId, applicationKey, retiredAt }: TaskEntity,
  identifiers: ReadonlyMap<string, string>,
): Task['application'] {
  if (applicationId === null || applicationKey === null) return null;
  const identifier = identifiers.get(applicationId) ?? '';
  return { identifier, key: applicationKey, installed: retiredAt === null };
}

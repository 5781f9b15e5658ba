import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { conflict, forbidden } from '../../infra/errors/app-error.ts';
import type { TaskEntity } from './task.entity.ts';

/** What admins may change of a task that belongs to an application. */
const CHANGEABLE: readonly string[] = ['enabled', 'concurrency', 'timeoutMs', 'runs'];

/** Whether a person may view, edit, and run a task. */
export function mayManage(caller: UserPrincipal, { ownerUserId }: Pick<TaskEntity, 'ownerUserId'>): boolean {
  return caller.role === 'ADMIN' || ownerUserId === caller.userId;
}

/** Returns the task. Throws FORBIDDEN unless the caller may view, edit, and run it. */
export function assertManaged(caller: UserPrincipal, task: TaskEntity): TaskEntity {
  if (!mayManage(caller, task)) throw forbidden(`Only its owner and admins have access to task ${task.id}`);
  return task;
}

/** Throws FORBIDDEN or CONFLICT for a field of a task of an application that the caller may not change. */
export function assertChangeable(caller: UserPrincipal, task: TaskEntity, fields: readonly string[]): void {
  if (task.applicationId === null) return;
  if (caller.role !== 'ADMIN') throw forbidden(`Only admins change task ${task.id} of an application`);
  if (task.retiredAt !== null) throw conflict(`The application of task ${task.id} no longer has it`);
  const fixed = fields.filter((field) => !CHANGEABLE.includes(field));
  if (fixed.length > 0) {
    throw conflict(`Task ${task.id} belongs to an application, whose manifest defines ${fixed.join(', ')}`);
  }
}

import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { forbidden } from '../../infra/errors/app-error.ts';
import type { TaskEntity } from './task.entity.ts';

/** Whether a person may view, edit, and run a task. */
export function mayManage(caller: UserPrincipal, { ownerUserId }: Pick<TaskEntity, 'ownerUserId'>): boolean {
  return caller.role === 'ADMIN' || ownerUserId === caller.userId;
}

/** Returns the task. Throws FORBIDDEN unless the caller may view, edit, and run it. */
export function assertManaged(caller: UserPrincipal, task: TaskEntity): TaskEntity {
  if (!mayManage(caller, task)) throw forbidden(`Only its owner and admins have access to task ${task.id}`);
  return task;
}

import type { TaskDisabledReason, TaskType } from '@platform/contracts';

/** What other modules may know of a task. */
export interface TaskFacts {
  id: string;
  name: string;
  type: TaskType;
  enabled: boolean;
  disabledReason: TaskDisabledReason | null;
  ownerUserId: string;
  /** A template: of the runs with the same value, only so many execute at once. */
  concurrencyKey: string | null;
  /** False for a task that was deleted, or that its application no longer declares. */
  exists: boolean;
}

import type { TaskType } from '@platform/contracts';
import { eventTrigger } from './event.ts';
import { manualTrigger } from './manual.ts';
import { scheduleTrigger } from './schedule.tsx';
import type { TriggerDescriptor } from './trigger.ts';

/** All ways to start a task, in the order in which they are offered. */
export const TRIGGERS: Record<TaskType, TriggerDescriptor> = {
  MANUAL: manualTrigger,
  SCHEDULE: scheduleTrigger,
  EVENT: eventTrigger,
};

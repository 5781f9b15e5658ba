import type { CreateTaskRequest, TaskRetry, UpdateTaskRequest } from '@platform/contracts';
import { isObject, withoutNulls } from '../../infra/runtime/json.ts';
import { problemAt, unknownKeys, type Path, type Problem } from './problems.ts';
import { cronProblem, timezoneProblem } from './schedule.ts';
import type { TaskEntity } from './task.entity.ts';

const SECOND = 1_000;
const HOUR = 3_600_000;
export const MAX_NAME_LENGTH = 120;
export const CONCURRENCY = { min: 1, max: 100, preset: 5 };
export const TIMEOUT_MS = { min: SECOND, max: 24 * HOUR, preset: 60_000 };
export const RETRY_ATTEMPTS = { min: 0, max: 10, preset: 0 };
export const BACKOFF_MS = { min: 0, max: HOUR, preset: SECOND };

/** What a task does, and when. */
export type TaskDefinition = Pick<
  TaskEntity,
  'name' | 'type' | 'schedule' | 'workflow' | 'concurrency' | 'timeoutMs' | 'retry'
>;

export const DEFAULT_RETRY: TaskRetry = {
  attempts: RETRY_ATTEMPTS.preset,
  backoffMs: BACKOFF_MS.preset,
  onInterrupted: false,
};

/** The definition of a new task, with the defaults of what is not given. */
export function newDefinition(request: CreateTaskRequest): TaskDefinition {
  const { name, type, schedule, workflow, concurrency, timeoutMs, retry } = request;
  return {
    name,
    type,
    schedule: schedule ?? null,
    workflow,
    concurrency: concurrency ?? CONCURRENCY.preset,
    timeoutMs: timeoutMs ?? TIMEOUT_MS.preset,
    retry: { ...DEFAULT_RETRY, ...withoutNulls(retry ?? {}) },
  };
}

/** The definition with the given fields changed. A task that is no longer of type SCHEDULE has no schedule. */
export function changeDefinition(current: TaskDefinition, change: UpdateTaskRequest): TaskDefinition {
  const { retry, enabled: _, runs: _runs, ...fields } = withoutNulls(change);
  const next = { ...current, ...fields, retry: { ...current.retry, ...withoutNulls(retry ?? {}) } };
  const isLeft = current.type === 'SCHEDULE' && next.type !== 'SCHEDULE' && !change.schedule;
  return isLeft ? { ...next, schedule: null } : next;
}

/** Returns the problem of a task whose type and schedule do not fit each other, or null. */
export function scheduleProblem({
  type,
  schedule,
}: Pick<TaskDefinition, 'type' | 'schedule'>): string | null {
  if ((type === 'SCHEDULE') === (schedule !== null)) return null;
  return type === 'SCHEDULE'
    ? 'is required for a task of type SCHEDULE'
    : `must not be given for a task of type ${type}`;
}

/** Returns what is wrong with a schedule. */
export function checkSchedule(schedule: unknown, path: Path, now = new Date()): Problem[] {
  if (!isObject(schedule)) return [{ path, text: 'must be an object with cron and timezone' }];
  return [
    ...unknownKeys(schedule, ['cron', 'timezone'], path),
    ...problemAt([...path, 'cron'], cronProblem(schedule['cron'], now)),
    ...problemAt([...path, 'timezone'], timezoneProblem(schedule['timezone'])),
  ];
}

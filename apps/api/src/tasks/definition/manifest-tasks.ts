import { TASK_TYPES, type ManifestTask, type TaskType, type Workflow } from '@platform/contracts';
import { isText } from '../../infra/requests/text.ts';
import { isObject } from '../../infra/runtime/json.ts';
import { formatPointerProblem, problemAt, unknownKeys, type Path, type Problem } from './problems.ts';
import {
  BACKOFF_MS,
  checkSchedule,
  checkConcurrencyKey,
  CONCURRENCY,
  DEFAULT_RETRY,
  MAX_NAME_LENGTH,
  newDefinition,
  PER_KEY,
  RETRY_ATTEMPTS,
  checkTypeKey,
  scheduleProblem,
  TIMEOUT_MS,
  type TaskDefinition,
} from './task-definition.ts';
import { integerProblem } from './step-fields.ts';
import { checkTypeTemplates, checkWorkflow } from './workflow.ts';

const MAX_TASKS = 100;
const TASK_KEY = /^[A-Za-z0-9_-]{1,64}$/;

/** The definition of a task of a manifest. Its type follows from what it has. */
export function newManifestDefinition({ key: _, type, ...task }: ManifestTask): TaskDefinition {
  return newDefinition({ ...task, type: type ?? (task.schedule ? 'SCHEDULE' : 'EVENT') });
}

/** Returns what is wrong with the tasks of a manifest; each sentence starts with the JSON pointer of the value. */
export function checkManifestTasks(tasks: unknown, pointer: string): string[] {
  if (!Array.isArray(tasks) || tasks.length > MAX_TASKS) {
    return [`${pointer} must be an array of at most ${MAX_TASKS} tasks`];
  }
  const keys = new Set<unknown>();
  return tasks.flatMap((task: unknown, i) => {
    const problems = checkManifestTask(task, [i], keys);
    return problems.map((problem) => formatPointerProblem(pointer, problem));
  });
}

const FIELDS = [
  'key',
  'name',
  'type',
  'schedule',
  'workflow',
  'concurrency',
  'concurrencyKey',
  'perKey',
  'timeoutMs',
  'retry',
];

/** Adds the key of the task to `keys`. */
function checkManifestTask(task: unknown, path: Path, keys: Set<unknown>): Problem[] {
  if (!isObject(task)) return [{ path, text: 'must be an object' }];
  const { key, name, type = null, schedule = null, workflow, concurrency, timeoutMs, retry } = task;
  const { concurrencyKey, perKey } = task;
  const at = (field: string) => [...path, field];
  const problems = [
    ...unknownKeys(task, FIELDS, path),
    ...problemAt(at('key'), keyProblem(key, keys)),
    ...problemAt(at('name'), nameProblem(name)),
    ...problemAt(at('type'), isTaskType(type ?? 'EVENT') ? null : `must be one of ${TASK_TYPES.join(', ')}`),
    ...(schedule === null ? [] : checkSchedule(schedule, at('schedule'))),
    ...checkWorkflow(workflow, at('workflow')),
    ...problemAt(at('concurrency'), boundsProblem(concurrency, CONCURRENCY)),
    ...checkConcurrencyKey(concurrencyKey, at('concurrencyKey')),
    ...problemAt(at('perKey'), boundsProblem(perKey, PER_KEY)),
    ...problemAt(at('timeoutMs'), boundsProblem(timeoutMs, TIMEOUT_MS)),
    ...checkRetry(retry, at('retry')),
  ];
  keys.add(key);
  const ofType = (type ?? (schedule === null ? 'EVENT' : 'SCHEDULE')) as TaskType;
  if (problems.length === 0)
    problems.push(
      ...checkTypeTemplates(workflow as Workflow, ofType, at('workflow')),
      ...checkTypeKey(concurrencyKey, ofType, at('concurrencyKey')),
    );
  const hasType = type === 'SCHEDULE' || type === 'MANUAL' || type === 'EVENT';
  if (hasType && (type === 'SCHEDULE') !== (schedule !== null)) {
    const given = schedule === null ? null : { cron: '', timezone: '' };
    problems.push(...problemAt(at('schedule'), scheduleProblem({ type, schedule: given })));
  }
  return problems;
}

function checkRetry(retry: unknown, path: Path): Problem[] {
  if (retry === undefined || retry === null) return [];
  if (!isObject(retry)) return [{ path, text: 'must be an object' }];
  const { attempts, backoffMs, onInterrupted = null } = retry;
  const isFlag = onInterrupted === null || typeof onInterrupted === 'boolean';
  return [
    ...unknownKeys(retry, Object.keys(DEFAULT_RETRY), path),
    ...problemAt([...path, 'attempts'], boundsProblem(attempts, RETRY_ATTEMPTS)),
    ...problemAt([...path, 'backoffMs'], boundsProblem(backoffMs, BACKOFF_MS)),
    ...problemAt([...path, 'onInterrupted'], isFlag ? null : 'must be true or false'),
  ];
}

function keyProblem(key: unknown, keys: ReadonlySet<unknown>): string | null {
  if (typeof key !== 'string' || !TASK_KEY.test(key)) return 'must be 1 to 64 letters, digits, _ or -';
  return keys.has(key) ? `must be unique: another task has the key ${key}` : null;
}

function nameProblem(name: unknown): string | null {
  return isText(name) && name.trim() !== '' && name.length <= MAX_NAME_LENGTH
    ? null
    : `must be a text of 1 to ${MAX_NAME_LENGTH} characters`;
}

function boundsProblem(value: unknown, { min, max }: { min: number; max: number }): string | null {
  return value === undefined || value === null ? null : integerProblem(value, min, max);
}

function isTaskType(type: unknown): type is TaskType {
  return (TASK_TYPES as readonly unknown[]).includes(type);
}

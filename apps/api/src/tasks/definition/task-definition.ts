import { isDeepStrictEqual } from 'node:util';
import type {
  CreateTaskRequest,
  Step,
  TaskRetry,
  TaskSchedule,
  TaskType,
  UpdateTaskRequest,
  Workflow,
} from '@platform/contracts';
import { isText } from '../../infra/requests/text.ts';
import { givenFields, isObject, withoutNulls } from '../../infra/runtime/json.ts';
import { checkAgainstType, checkTemplates } from '../templates/template-fit.ts';
import { hasTemplate } from '../templates/template.ts';
import { problemAt, unknownKeys, type Path, type Problem } from './problems.ts';
import { cronProblem, DEFAULT_OVERLAP, overlapProblem, timezoneProblem } from './schedule.ts';
import type { TaskEntity } from './task.entity.ts';

const SECOND = 1_000;
const HOUR = 3_600_000;
export const MAX_NAME_LENGTH = 120;
const MAX_KEY_LENGTH = 500;
export const CONCURRENCY = { min: 1, max: 100, preset: 5 };
export const PER_KEY = { min: 1, max: 100, preset: 1 };
export const TIMEOUT_MS = { min: SECOND, max: 24 * HOUR, preset: 60_000 };
export const RETRY_ATTEMPTS = { min: 0, max: 10, preset: 0 };
export const BACKOFF_MS = { min: 0, max: HOUR, preset: SECOND };

/** What a task does, and when. */
export type TaskDefinition = Pick<
  TaskEntity,
  | 'name'
  | 'type'
  | 'schedule'
  | 'workflow'
  | 'concurrency'
  | 'concurrencyKey'
  | 'perKey'
  | 'timeoutMs'
  | 'retry'
>;

export const DEFAULT_RETRY: TaskRetry = {
  attempts: RETRY_ATTEMPTS.preset,
  backoffMs: BACKOFF_MS.preset,
  onInterrupted: false,
};

/** The definition of a new task, with the defaults of what is not given. */
export function newDefinition(request: CreateTaskRequest): TaskDefinition {
  const { name, type, schedule, workflow, concurrency, concurrencyKey, perKey, timeoutMs, retry } = request;
  return {
    name,
    type,
    schedule: schedule ? newSchedule(schedule, null) : null,
    workflow,
    concurrency: concurrency ?? CONCURRENCY.preset,
    concurrencyKey: concurrencyKey ?? null,
    perKey: perKey ?? PER_KEY.preset,
    timeoutMs: timeoutMs ?? TIMEOUT_MS.preset,
    retry: { ...DEFAULT_RETRY, ...withoutNulls(retry ?? {}) },
  };
}

/** The definition with the given fields changed. A task that is no longer of type SCHEDULE has no schedule. */
export function changeDefinition(
  current: TaskDefinition,
  change: Omit<UpdateTaskRequest, 'updatedAt'>,
): TaskDefinition {
  const { retry, schedule, enabled: _, runs: _runs, ...fields } = givenChange(change);
  const next = {
    ...current,
    ...fields,
    ...(schedule && { schedule: newSchedule(schedule, current.schedule) }),
    retry: { ...current.retry, ...withoutNulls(retry ?? {}) },
  };
  const isLeft = current.type === 'SCHEDULE' && next.type !== 'SCHEDULE' && !change.schedule;
  return isLeft ? { ...next, schedule: null } : next;
}

/** What a change sets. Null clears `concurrencyKey`; any other field counts as not given. */
export function givenChange(change: UpdateTaskRequest) {
  return givenFields(change, { concurrencyKey: null });
}

/** Returns what is wrong with a key of concurrency; null and undefined are none. */
export function checkConcurrencyKey(value: unknown, path: Path): Problem[] {
  if (value === undefined || value === null) return [];
  if (!isText(value) || value.length > MAX_KEY_LENGTH || !hasTemplate(value)) {
    const text = `must be a text of at most ${MAX_KEY_LENGTH} characters with a template, such as {{trigger.payload.customerId}}`;
    return [{ path, text }];
  }
  return checkTemplates(value, { outputs: new Map(), names: [] }).map((text) => ({ path, text }));
}

/** Returns why no run of a task of the type has a value for a key of concurrency. */
export function checkTypeKey(value: unknown, type: TaskType, path: Path): Problem[] {
  return checkAgainstType(value, type).map((text) => ({ path, text }));
}

/** A schedule as it is stored. One that does not say what becomes of overlapping runs does what the one before it did. */
function newSchedule({ cron, timezone, overlap }: TaskSchedule, before: TaskSchedule | null): TaskSchedule {
  return { cron, timezone, overlap: overlap ?? before?.overlap ?? DEFAULT_OVERLAP };
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
    ...unknownKeys(schedule, ['cron', 'timezone', 'overlap'], path),
    ...problemAt([...path, 'cron'], cronProblem(schedule['cron'], now)),
    ...problemAt([...path, 'timezone'], timezoneProblem(schedule['timezone'])),
    ...problemAt([...path, 'overlap'], overlapProblem(schedule['overlap'] ?? undefined)),
  ];
}

/** How many steps a sentence names. */
const NAMED_STEPS = 10;

/** Returns what a change makes of a task, as a sentence for the audit log: without sources, inputs, and payloads. */
export function describeChange(
  before: TaskDefinition,
  after: TaskDefinition,
  { enabled, runs }: Pick<UpdateTaskRequest, 'runs'> & { enabled: { before: boolean; after: boolean } },
): string {
  const parts = [
    ...(after.name === before.name ? [] : [`renamed to "${after.name}"`]),
    ...describeSteps(before.workflow, after.workflow),
    ...describeValues(before, after),
    ...(enabled.after === enabled.before ? [] : [enabled.after ? 'enabled' : 'disabled']),
    ...(runs === 'CANCEL' ? ['canceled its waiting and running runs'] : []),
    ...(runs === 'CANCEL_QUEUED' ? ['canceled its waiting runs'] : []),
  ];
  const text = parts.length === 0 ? 'nothing changed' : parts.join('; ');
  return `${text[0]?.toUpperCase() ?? ''}${text.slice(1)}.`;
}

function describeSteps({ steps: before }: Workflow, { steps: after }: Workflow): string[] {
  const [old, now] = [before, after].map((steps) => new Map(steps.map((step) => [step.id, step])));
  const name = (verb: string, ids: string[]) => (ids.length === 0 ? [] : [`${verb} ${nameSteps(ids)}`]);
  const ids = (steps: readonly Step[], test: (step: Step) => boolean) =>
    steps.filter(test).map(({ id }) => id);
  const isKept = ({ id }: Step) => old?.has(id) === true && now?.has(id) === true;
  const isMoved = !isDeepStrictEqual(ids(before, isKept), ids(after, isKept));
  return [
    ...name(
      'added',
      ids(after, ({ id }) => !old?.has(id)),
    ),
    ...name(
      'removed',
      ids(before, ({ id }) => !now?.has(id)),
    ),
    ...name(
      'changed',
      ids(after, (step) => isKept(step) && !isDeepStrictEqual(step, old?.get(step.id))),
    ),
    ...(isMoved ? ['reordered the steps'] : []),
  ];
}

function nameSteps(ids: readonly string[]): string {
  const more = ids.length - NAMED_STEPS;
  const named = ids.slice(0, NAMED_STEPS).join(', ');
  return `step${ids.length === 1 ? '' : 's'} ${named}${more > 0 ? `, and ${more} more` : ''}`;
}

function describeValues(before: TaskDefinition, after: TaskDefinition): string[] {
  const values = ({
    type,
    schedule,
    concurrency,
    concurrencyKey,
    perKey,
    timeoutMs,
    retry,
  }: TaskDefinition) => ({
    type,
    schedule: schedule && describeSchedule(schedule),
    concurrency,
    concurrencyKey,
    perKey,
    timeoutMs,
    'retry.attempts': retry.attempts,
    'retry.backoffMs': retry.backoffMs,
    'retry.onInterrupted': retry.onInterrupted,
  });
  const old = Object.entries(values(before));
  return Object.entries(values(after)).flatMap(([field, now], i) => {
    const was = old[i]?.[1];
    return now === was ? [] : [`${field} from ${String(was ?? 'none')} to ${String(now ?? 'none')}`];
  });
}

function describeSchedule({ cron, timezone, overlap = DEFAULT_OVERLAP }: TaskSchedule): string {
  return `${cron} (${timezone})${overlap === DEFAULT_OVERLAP ? '' : `, ${overlap}`}`;
}

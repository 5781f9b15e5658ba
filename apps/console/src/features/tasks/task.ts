import type {
  CreateTaskRequest,
  StepKind,
  Task,
  TaskRetry,
  TaskSchedule,
  TaskType,
} from '@platform/contracts';
import { listFieldNames } from '../../ui/forms/field-names.ts';
import type { StepValues } from './steps/step-kind.ts';
import { formatOptions, parseOptions } from './steps/step-options.ts';
import { STEP_KINDS } from './steps/step-kinds.ts';
import { TRIGGERS } from './triggers/triggers.ts';

/** A step as entered, with the fields of its kind. */
export type StepForm = StepValues & { id: string; kind: StepKind; options?: string };

/** The values of the form. They have the names of the request, so that errors of the service find their fields. */
export interface TaskForm extends Omit<Pick<Task, keyof CreateTaskRequest>, 'schedule' | 'workflow'> {
  schedule: TaskSchedule;
  workflow: { steps: StepForm[] };
}

const MAX_STEPS = 200;
const STEP_FIELDS = [
  'id',
  'options',
  ...Object.values(STEP_KINDS).flatMap((kind) => Object.keys(kind.create('MANUAL'))),
];

/** Names of the form fields as they appear in error messages of the service. */
export const TASK_FIELDS = listFieldNames<keyof TaskForm>({
  name: true,
  type: true,
  schedule: listFieldNames<keyof TaskSchedule>({ cron: true, timezone: true, overlap: true }),
  workflow: Array.from({ length: MAX_STEPS }, (_, i) =>
    STEP_FIELDS.map((field) => `steps.${i}.${field}`),
  ).flat(),
  concurrency: true,
  timeoutMs: true,
  retry: listFieldNames<keyof TaskRetry>({ attempts: true, backoffMs: true, onInterrupted: true }),
  enabled: true,
});

export function createTaskForm(type: TaskType, timezone: string): TaskForm {
  return {
    name: '',
    type,
    schedule: { cron: '0 9 * * 1-5', timezone, overlap: 'queue-one' },
    workflow: { steps: [createStep('code', [], type)] },
    concurrency: 5,
    timeoutMs: 60_000,
    retry: { attempts: 0, backoffMs: 1_000, onInterrupted: false },
    enabled: true,
  };
}

/** Returns a new step whose id no other step has. */
export function createStep(kind: StepKind, others: readonly StepForm[], type: TaskType = 'MANUAL'): StepForm {
  const ids = new Set(others.map(({ id }) => id));
  let number = others.length + 1;
  while (ids.has(`step${number}`)) number++;
  const id = `step${number}`;
  return { id, kind, ...STEP_KINDS[kind].create(type) };
}

export function toTaskForm(task: Task, timezone: string): TaskForm {
  const { name, type, schedule, workflow, concurrency, timeoutMs, retry, enabled } = task;
  return {
    name,
    type,
    concurrency,
    timeoutMs,
    retry,
    enabled,
    schedule: schedule ?? createTaskForm(type, timezone).schedule,
    workflow: {
      steps: workflow.steps.map((step) => ({
        id: step.id,
        kind: step.kind,
        options: formatOptions(step),
        ...STEP_KINDS[step.kind].toValues(step),
      })),
    },
  };
}

/** Returns the request for the form. Only scheduled tasks have a schedule. */
export function toTaskRequest({ workflow, schedule, ...form }: TaskForm): CreateTaskRequest {
  return {
    ...form,
    schedule: TRIGGERS[form.type].isScheduled ? schedule : null,
    workflow: {
      steps: workflow.steps.map(({ id, kind, options, ...values }) => ({
        ...STEP_KINDS[kind].toStep(id, values),
        ...parseOptions(options),
      })),
    },
  };
}

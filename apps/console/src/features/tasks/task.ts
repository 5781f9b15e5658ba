import type {
  CreateTaskRequest,
  Task,
  TaskRetry,
  TaskSchedule,
  TaskType,
  Workflow,
} from '@platform/contracts';
import { listFieldNames } from '../../ui/forms/field-names.ts';
import { createStep, findStepField, toStepForms, toSteps } from './steps/step-forms.ts';
import type { StepForm } from './steps/step-kind.ts';
import { TRIGGERS } from './triggers/triggers.ts';

/** The values of the form. They have the names of the request, so that errors of the service find their fields. */
export interface TaskForm extends Omit<Pick<Task, keyof CreateTaskRequest>, 'schedule' | 'workflow'> {
  schedule: TaskSchedule;
  workflow: { steps: StepForm[] };
}

/** Names of the form fields as they appear in error messages of the service, without those of steps. */
const TASK_FIELDS = listFieldNames<Exclude<keyof TaskForm, 'workflow'>>({
  name: true,
  type: true,
  schedule: listFieldNames<keyof TaskSchedule>({ cron: true, timezone: true, overlap: true }),
  concurrency: true,
  concurrencyKey: true,
  perKey: true,
  timeoutMs: true,
  retry: listFieldNames<keyof TaskRetry>({ attempts: true, backoffMs: true, onInterrupted: true }),
  enabled: true,
});

/** Returns the field that an error of the service names, if it is one of them. */
export function findTaskField(named: string, shown: readonly string[]): string | undefined {
  return findStepField(named, [...TASK_FIELDS, ...shown.filter((field) => field.startsWith('workflow.'))]);
}

export function createTaskForm(type: TaskType, timezone: string): TaskForm {
  return {
    name: '',
    type,
    schedule: { cron: '0 9 * * 1-5', timezone, overlap: 'queue-one' },
    workflow: { steps: [createStep('code', [], type)] },
    concurrency: 5,
    concurrencyKey: null,
    perKey: 1,
    timeoutMs: 60_000,
    retry: { attempts: 0, backoffMs: 1_000, onInterrupted: false },
    enabled: true,
  };
}

export function toTaskForm(task: Task, timezone: string): TaskForm {
  const { name, type, schedule, workflow, concurrency, timeoutMs, retry, enabled } = task;
  const { concurrencyKey, perKey } = task;
  return {
    name,
    type,
    concurrency,
    concurrencyKey,
    perKey,
    timeoutMs,
    retry,
    enabled,
    schedule: schedule ?? createTaskForm(type, timezone).schedule,
    workflow: { steps: toStepForms(workflow.steps) },
  };
}

/** Returns the request for the form. Only scheduled tasks have a schedule. */
export function toTaskRequest({ workflow, schedule, ...form }: TaskForm): CreateTaskRequest {
  return {
    ...form,
    schedule: TRIGGERS[form.type].isScheduled ? schedule : null,
    workflow: { steps: toSteps(workflow.steps) },
  };
}

/** Returns what of a workflow is to be tested: what is entered if it is not stored like that, or else what is stored. */
export function toChangedWorkflow({ workflow }: TaskForm, task: Task): { workflow?: Workflow } {
  const entered: Workflow = { steps: toSteps(workflow.steps) };
  const stored = toSteps(toStepForms(task.workflow.steps));
  return JSON.stringify(entered.steps) === JSON.stringify(stored) ? {} : { workflow: entered };
}

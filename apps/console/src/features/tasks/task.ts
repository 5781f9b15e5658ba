import type {
  CreateTaskRequest,
  Step,
  StepKind,
  Task,
  TaskRetry,
  TaskSchedule,
  TaskType,
} from '@platform/contracts';
import { formatJson } from '../../ui/code/json-view.tsx';
import { parseJsonObject } from '../../ui/code/parse-json.ts';
import { formatEventKey, parseEventKey } from '../events/catalog/catalog-query.ts';

/** A step as entered. Objects are JSON texts; fields of the other kinds are empty. */
export interface StepForm {
  id: string;
  kind: StepKind;
  source?: string;
  toolId?: string;
  method?: string;
  input?: string;
  agentId?: string;
  inputs?: string;
  /** The application and the name of the event. */
  event?: string;
  payload?: string;
}

/** The values of the form. They have the names of the request, so that errors of the service find their fields. */
export interface TaskForm {
  name: string;
  type: TaskType;
  schedule: TaskSchedule;
  workflow: { steps: StepForm[] };
  concurrency: number;
  timeoutMs: number;
  retry: TaskRetry;
  enabled: boolean;
}

const MAX_STEPS = 50;
const STEP_FIELDS = ['id', 'source', 'toolId', 'method', 'input', 'agentId', 'inputs', 'event', 'payload'];

/** Names of the form fields as they appear in error messages of the service. */
export const TASK_FIELDS = [
  'name',
  'type',
  'schedule.cron',
  'schedule.timezone',
  'concurrency',
  'timeoutMs',
  'retry.attempts',
  'retry.backoffMs',
  ...Array.from({ length: MAX_STEPS }, (_, i) =>
    STEP_FIELDS.map((field) => `workflow.steps.${i}.${field}`),
  ).flat(),
];

const EXAMPLE_CODE = `// Runs as the body of an async function.
console.log('started with', context.execution.inputs);
return { answer: 42 };`;

const EXAMPLE_EVENT_CODE = `// Runs as the body of an async function, once per event.
const { trigger } = context.execution.inputs;
console.log(trigger.event, trigger.id);
return trigger.payload;`;

export function createTaskForm(type: TaskType, timezone: string): TaskForm {
  return {
    name: '',
    type,
    schedule: { cron: '0 9 * * 1-5', timezone },
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
  switch (kind) {
    case 'code':
      return { id, kind, source: type === 'EVENT' ? EXAMPLE_EVENT_CODE : EXAMPLE_CODE };
    case 'agent':
      return { id, kind, inputs: formatJson({ query: '' }) };
    case 'emit':
      return { id, kind, payload: '{}' };
    case 'tool':
      return { id, kind, input: '{}' };
  }
}

export function toTaskForm(task: Task, timezone: string): TaskForm {
  const { name, type, schedule, workflow, concurrency, timeoutMs, retry, enabled } = task;
  return {
    ...{ name, type, concurrency, timeoutMs, retry, enabled },
    schedule: schedule ?? createTaskForm(type, timezone).schedule,
    workflow: { steps: workflow.steps.map(toStepForm) },
  };
}

function toStepForm(step: Step): StepForm {
  switch (step.kind) {
    case 'code':
      return step;
    case 'agent':
      return { ...step, inputs: formatJson(step.inputs) };
    case 'tool':
      return { ...step, input: formatJson(step.input) };
    case 'emit': {
      const { id, kind, payload } = step;
      return { id, kind, event: formatEventKey(step), payload: formatJson(payload) };
    }
  }
}

/** Returns the request for the form. Only scheduled tasks have a schedule. */
export function toTaskRequest({ workflow, schedule, ...form }: TaskForm): CreateTaskRequest {
  return {
    ...form,
    schedule: form.type === 'SCHEDULE' ? schedule : null,
    workflow: { steps: workflow.steps.map(toStep) },
  };
}

function toStep({ id, kind, ...fields }: StepForm): Step {
  switch (kind) {
    case 'code':
      return { id, kind, source: fields.source ?? '' };
    case 'agent':
      return { id, kind, agentId: fields.agentId ?? '', inputs: toObject(fields.inputs) };
    case 'tool':
      return {
        ...{ id, kind },
        toolId: fields.toolId ?? '',
        method: fields.method ?? '',
        input: toObject(fields.input),
      };
    case 'emit':
      return { id, kind, ...parseEventKey(fields.event ?? ''), payload: toObject(fields.payload) };
  }
}

// The form accepts only objects, so the fallback is never sent.
function toObject(text: string | undefined): Record<string, unknown> {
  return parseJsonObject(text ?? '') ?? {};
}

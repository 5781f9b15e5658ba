import type { PageQuery } from './page.ts';

export const TASK_TYPES = ['MANUAL', 'SCHEDULE', 'EVENT'] as const;
/** How a task is started. `MANUAL` and `EVENT` tasks can also be run by hand. */
export type TaskType = (typeof TASK_TYPES)[number];

export interface TaskSchedule {
  /** Five fields: minute, hour, day of month, month, day of week. */
  cron: string;
  /** IANA name, such as Europe/Berlin. */
  timezone: string;
}

/** JavaScript: the body of an async function. `return` sets the output. */
export interface CodeStep {
  id: string;
  kind: 'code';
  source: string;
}

/** Calls a method of a tool. */
export interface ToolStep {
  id: string;
  kind: 'tool';
  toolId: string;
  method: string;
  input: Record<string, unknown>;
}

/** Executes an agent. The output is the execute response. */
export interface AgentStep {
  id: string;
  kind: 'agent';
  agentId: string;
  inputs: Record<string, unknown>;
}

/** Emits an event of an installed application. Succeeds also if the loop guard skips the event. */
export interface EmitStep {
  id: string;
  kind: 'emit';
  applicationIdentifier: string;
  event: string;
  payload: Record<string, unknown>;
}

/** Values of inputs and payloads may contain `{{inputs.…}}`, `{{trigger.…}}`, and `{{steps.<id>.output…}}`. */
export type Step = CodeStep | ToolStep | AgentStep | EmitStep;
export type StepKind = Step['kind'];

export interface Workflow {
  steps: Step[];
}

export interface TaskRetry {
  /** Further attempts after a failed one: 0 to 10. */
  attempts: number;
  /** Before the first of them; doubled for each further one, at most an hour. */
  backoffMs: number;
  /** Whether a run whose worker died is attempted again. Its steps may have had effects. */
  onInterrupted: boolean;
}

/** Why the platform disabled a task. */
export type TaskDisabledReason = 'OWNER_REMOVED';

/** The application that a task belongs to. */
export interface TaskApplication {
  identifier: string;
  /** The key of the task in the manifest. */
  key: string;
  /** Whether the application is installed and still declares the task. */
  installed: boolean;
}

export interface Task {
  id: string;
  name: string;
  type: TaskType;
  schedule: TaskSchedule | null;
  workflow: Workflow;
  /** How many of its runs execute at the same time. */
  concurrency: number;
  timeoutMs: number;
  retry: TaskRetry;
  enabled: boolean;
  disabledReason: TaskDisabledReason | null;
  ownerUserId: string;
  /** When a schedule is due next. */
  nextDueAt: string | null;
  application: TaskApplication | null;
  createdAt: string;
  updatedAt: string;
}

export interface CreateTaskRequest {
  /** 1 to 120 characters. */
  name: string;
  type: TaskType;
  schedule?: TaskSchedule | null;
  workflow: Workflow;
  /** 1 to 100, default 5. */
  concurrency?: number | null;
  /** 1 s to 24 h, default 60 s. */
  timeoutMs?: number | null;
  retry?: Partial<TaskRetry> | null;
  enabled?: boolean | null;
}

export type UpdateTaskRequest = Partial<CreateTaskRequest>;

export interface TaskQuery extends PageQuery {
  type?: TaskType;
}

export interface RunTaskRequest {
  inputs?: Record<string, unknown> | null;
}

export interface SchedulePreview {
  /** The next five due times. */
  dueAt: string[];
}

export const EVENT_SOURCES = ['datasource', 'app', 'system'] as const;
/** `datasource`: a data write. `app`: an application or an `emit` step. `system`: a test emission. */
export type EventSource = (typeof EVENT_SOURCES)[number];

/** The event that started a run. It always has these nine keys; unknown values are null. */
export interface Trigger {
  event: string;
  payload: Record<string, unknown>;
  source: EventSource;
  /** The id of the envelope. */
  id: string;
  emittedAt: string;
  spaceId: string;
  actorUserId: string | null;
  /** The envelope whose run caused this event. */
  causationId: string | null;
  /** 0 for a first emission. */
  depth: number;
}

export const RUN_STATUSES = ['QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED', 'INTERRUPTED'] as const;
/** `INTERRUPTED`: the worker of the run died. */
export type RunStatus = (typeof RUN_STATUSES)[number];
export type RunAttemptStatus = Exclude<RunStatus, 'QUEUED'>;

/** How a run was started. */
export type RunOrigin = 'MANUAL' | 'SCHEDULE' | 'EVENT';

export interface RunError {
  /** Such as FORBIDDEN, OWNER_GONE, TIMEOUT, STEP_FAILED, or the code of the call that failed. */
  code: string;
  message: string;
}

export interface RunStep {
  id: string;
  kind: StepKind;
  status: RunAttemptStatus;
  input: unknown;
  output: unknown;
  /** What the step wrote by `console.log`, at most 256 KB per run. */
  log: string;
  startedAt: string;
  durationMs: number | null;
  error?: RunError;
}

export interface RunAttempt {
  attempt: number;
  status: RunAttemptStatus;
  startedAt: string;
  finishedAt: string | null;
  error?: RunError;
}

export interface Run {
  id: string;
  taskId: string;
  taskName: string;
  origin: RunOrigin;
  status: RunStatus;
  /** In lists, its payload is empty. */
  trigger: Trigger | null;
  /** Empty in lists. */
  inputs: Record<string, unknown>;
  /** The steps of the current attempt. Empty in lists. */
  steps: RunStep[];
  attempt: number;
  /** All attempts, oldest first. Empty in lists. */
  attempts: RunAttempt[];
  /** Whether someone has requested to cancel the run. */
  cancelRequested: boolean;
  createdAt: string;
  startedAt: string | null;
  finishedAt: string | null;
  error?: RunError;
}

export interface RunQuery extends PageQuery {
  status?: RunStatus;
}

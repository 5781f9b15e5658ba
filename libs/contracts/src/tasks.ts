import type {
  ListTaskRunsQuery,
  ListRunsQuery,
  ListTasksQuery,
  Run,
  RunAttempt,
  RunStep,
  Task,
  TaskVersionDiff,
  Workflow,
} from './schemas.ts';
import type { PageQuery } from './page.ts';

export const TASK_TYPES = ['MANUAL', 'SCHEDULE', 'EVENT'] as const;

/** How a task is started. `MANUAL` and `EVENT` tasks can also be run by hand. */
export type TaskType = (typeof TASK_TYPES)[number];

export const SCHEDULE_OVERLAPS = ['queue-one', 'skip', 'cancel-previous', 'allow'] as const;

/** What becomes of a due time while the last run of the schedule has not ended. */
export type ScheduleOverlap = (typeof SCHEDULE_OVERLAPS)[number];

/** `STARTED`: a run. `JOINED`: a run that was waiting stands for it as well. `SKIPPED`: an earlier run had not ended. */
export type ScheduledTimeOutcome = 'STARTED' | 'JOINED' | 'SKIPPED';

export type Step = Workflow['steps'][number];
export type StepKind = Step['kind'];
export type StepOf<K extends StepKind> = Extract<Step, { kind: K }>;

/** Why the platform disabled a task. */
export type TaskDisabledReason = NonNullable<Task['disabledReason']>;
export type TaskQuery = ListTasksQuery;
/** What became of a step from one version of a task to another. */
export type TaskStepChange = TaskVersionDiff['steps'][number];

export const EVENT_SOURCES = ['datasource', 'app', 'system'] as const;

/** `datasource`: a data write. `app`: an application or an `emit` step. `system`: a test emission. */
export type EventSource = (typeof EVENT_SOURCES)[number];

export const RUN_STATUSES = [
  'QUEUED',
  'RUNNING',
  'WAITING',
  'SUCCEEDED',
  'FAILED',
  'CANCELLED',
  'INTERRUPTED',
] as const;

/** `WAITING`: for a time, an event, an answer, or another run. `INTERRUPTED`: the worker of the run died. */
export type RunStatus = (typeof RUN_STATUSES)[number];
/**
 * `HANDED_OVER`: the worker was told to end between two steps. `WAITED`: the run went to wait. The next attempt goes on with the next
 * step in either case.
 */
export type RunAttemptStatus = RunAttempt['status'];
export type RunStepStatus = RunStep['status'];
export type RunOrigin = Run['origin'];
export type RunQuery = ListRunsQuery;
export type TaskRunQuery = ListTaskRunsQuery;

export const QUESTION_STATUSES = ['OPEN', 'ANSWERED', 'EXPIRED', 'CANCELLED'] as const;
/** `EXPIRED`: nobody answered in time. `CANCELLED`: the run ended before anybody answered. */
export type QuestionStatus = (typeof QUESTION_STATUSES)[number];
export type QuestionFieldType = 'text' | 'number' | 'boolean' | 'choice' | 'date';
/** The owner of the task, all admins of the space, or members. */
export type QuestionRecipients = 'owner' | 'admins' | { userIds: string[] };
export interface InboxQuery extends PageQuery {
  /** Default: `OPEN`. */
  status?: QuestionStatus | null | undefined;
}
export const BULK_RUN_ACTIONS = ['retry', 'cancel', 'dismiss'] as const;
export type BulkRunActionKind = (typeof BULK_RUN_ACTIONS)[number];
export type FailureQuery = Pick<
  RunQuery,
  'taskId' | 'ownerUserId' | 'applicationIdentifier' | 'event' | 'from' | 'to'
>;

import {
  TASK_TYPES,
  type ScheduleOverlap,
  type Step,
  type TaskDisabledReason,
  type TaskType,
} from '@platform/contracts';
import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  IsBoolean,
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  IsUUID,
  Length,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import { FreeForm } from '../../infra/requests/free-form.ts';
import { Nullable } from '../../infra/requests/nullable.ts';
import { SortedPageDto } from '../../infra/requests/page.dto.ts';
import { IsInstant } from '../../infra/requests/instant.ts';
import { IsFilledText, IsText } from '../../infra/requests/text.ts';
import { formatProblem, type Path, type Problem } from './problems.ts';
import {
  BACKOFF_MS,
  checkConcurrencyKey,
  checkSchedule,
  CONCURRENCY,
  MAX_NAME_LENGTH,
  PER_KEY,
  RETRY_ATTEMPTS,
  TIMEOUT_MS,
} from './task-definition.ts';
import { checkWorkflow } from './workflow.ts';
import { pageOf } from '../../infra/responses/page-of.ts';

const required = (check: (value: unknown, path: Path) => Problem[]) =>
  FreeForm((value, path) => check(value, [path]).map(formatProblem));

const optional = (check: (value: unknown, path: Path) => Problem[]) =>
  FreeForm((value, path) => (value === undefined ? [] : check(value, [path]).map(formatProblem)));

export class TaskScheduleDto {
  /**
   * Five fields: minute, hour, day of month, month, and day of week.
   * @example '30 8 * * MON-FRI'
   */
  cron!: string;

  /**
   * IANA name. A time that a change of the clock skips is due right after it; one that occurs twice is due once.
   * @example Europe/Berlin
   */
  timezone!: string;

  /**
   * What becomes of a due time while the last run of the schedule has not ended. `queue-one`: one run waits for its end, and stands
   * for all due times until then. `skip`: the time is skipped. `cancel-previous`: the last run is canceled, and the next one
   * waits for its end. `allow`: both run, as far as the concurrency of the task allows. Default: `queue-one`; in a change,
   * what it was before.
   */
  overlap?: ScheduleOverlap;
}

/** The two fields of a schedule as a body of their own. */
export class SchedulePreviewRequestDto {
  /**
   * Five fields: minute, hour, day of month, month, and day of week.
   * @example '30 8 * * MON-FRI'
   */
  @required((cron, path) => checkSchedule({ cron, timezone: 'UTC' }, []).map(({ text }) => ({ path, text })))
  cron!: string;

  /**
   * IANA name.
   * @example Europe/Berlin
   */
  @required((timezone, path) =>
    checkSchedule({ cron: '* * * * *', timezone }, []).map(({ text }) => ({ path, text })),
  )
  timezone!: string;
}

export class SchedulePreviewDto {
  /** The next five due times, fewer if there are no more. */
  dueAt!: string[];
}

/**
 * Values of inputs and payloads may contain templates: `{{inputs.…}}`, `{{trigger.…}}`, and `{{steps.<id>.output…}}` of
 * earlier steps.
 */
export class WorkflowDto {
  /** 1 to 50 steps, which run one after another. */
  @ApiProperty({
    type: 'array',
    // The document lists the kinds.
    items: { type: 'object' },
    example: [{ id: 'greet', kind: 'code', source: "return 'Hello ' + context.execution.inputs.name;" }],
  })
  steps!: Step[];
}

const CANCELLABLE = ['QUEUED', 'RUNNING'] as const;
const RUNS_OF_DISABLED = ['KEEP', 'CANCEL_QUEUED', 'CANCEL'] as const;

class TaskRetryOptionsDto {
  /** Further attempts after one that failed or was interrupted: 0 (default) to 10. Each continues at the step that failed. */
  @IsOptional()
  @IsInt()
  @Min(RETRY_ATTEMPTS.min)
  @Max(RETRY_ATTEMPTS.max)
  attempts?: number;

  /** Milliseconds before the first of them, doubled for each further one; at most an hour. Default: 1,000. */
  @IsOptional()
  @IsInt()
  @Min(BACKOFF_MS.min)
  @Max(BACKOFF_MS.max)
  backoffMs?: number;

  /**
   * Whether interrupted attempts have at least three further ones, also without `attempts`. The steps may have had effects.
   * Default: false.
   */
  @IsOptional()
  @IsBoolean()
  onInterrupted?: boolean;
}

class TaskOptionsDto {
  /** How many of its runs execute at the same time: 1 to 100. Default: 5. */
  @IsOptional()
  @IsInt()
  @Min(CONCURRENCY.min)
  @Max(CONCURRENCY.max)
  concurrency?: number;

  /**
   * A template over `inputs` and `trigger`, such as `{{trigger.payload.customerId}}`: of the runs with the same value, at most `perKey`
   * execute at once. The others wait, and begin in the order in which they were created. Runs for which it has no value share one.
   * Null removes it.
   */
  @Nullable()
  @optional((value, path) => checkConcurrencyKey(value, path))
  @ApiProperty({ type: String, required: false, nullable: true, example: '{{trigger.payload.customerId}}' })
  concurrencyKey?: string | null;

  /** How many runs with the same `concurrencyKey` execute at once: 1 to 100. Default: 1. */
  @IsOptional()
  @IsInt()
  @Min(PER_KEY.min)
  @Max(PER_KEY.max)
  perKey?: number;

  /** Milliseconds after which a run fails: 1 s to 24 h. Default: 60 s. */
  @IsOptional()
  @IsInt()
  @Min(TIMEOUT_MS.min)
  @Max(TIMEOUT_MS.max)
  timeoutMs?: number;

  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => TaskRetryOptionsDto)
  retry?: TaskRetryOptionsDto;

  /** Whether events and schedules start it, and runs that wait begin. People can run a disabled task. Default: true. */
  @IsOptional()
  @IsBoolean()
  enabled?: boolean;

  /** Required for a task of type SCHEDULE, and only for it. */
  @optional(checkSchedule)
  schedule?: TaskScheduleDto;
}

export class CreateTaskDto extends TaskOptionsDto {
  /** @example 'Greet new customers' */
  @IsFilledText()
  @MaxLength(MAX_NAME_LENGTH)
  name!: string;

  /** How it is started. A task of any type can also be run by hand. */
  @IsIn(TASK_TYPES)
  type!: TaskType;

  @required(checkWorkflow)
  workflow!: WorkflowDto;
}

export class UpdateTaskDto extends TaskOptionsDto {
  @IsOptional()
  @IsFilledText()
  @MaxLength(MAX_NAME_LENGTH)
  name?: string;

  /** Cannot change from EVENT while the task is subscribed to events. */
  @IsOptional()
  @IsIn(TASK_TYPES)
  type?: TaskType;

  @optional(checkWorkflow)
  workflow?: WorkflowDto;

  /**
   * With `enabled: false`: what becomes of runs that have not ended. `KEEP`: those that wait do so until the task is enabled again,
   * and those that execute end. `CANCEL_QUEUED`: those that wait are canceled. `CANCEL`: all are canceled. Default: `KEEP`.
   */
  @IsOptional()
  @IsIn(RUNS_OF_DISABLED)
  runs?: 'KEEP' | 'CANCEL_QUEUED' | 'CANCEL';

  /** The `updatedAt` of the task that the change is based on. 409 if the task was changed since. */
  @IsOptional()
  @IsInstant()
  updatedAt?: string;
}

export class ChangeTaskOwnerDto {
  /** A member of the space. Default: the caller. */
  @IsOptional()
  @IsUUID('all')
  ownerUserId?: string;
}

export class CancelTaskRunsDto {
  /** Default: both. */
  @IsOptional()
  @IsIn(CANCELLABLE)
  status?: 'QUEUED' | 'RUNNING';
}

export class CancelledRunsDto {
  /** How many queued runs have ended as CANCELLED. */
  cancelled!: number;
  /** How many running runs are going to end. */
  requested!: number;
  /** Whether more runs may wait than one request cancels. */
  isAnyLeft!: boolean;
}

export class TaskQueryDto extends SortedPageDto {
  @IsOptional()
  @IsIn(TASK_TYPES)
  type?: TaskType;

  /** Only the tasks of this application. */
  @IsOptional()
  @IsText()
  @Length(1, 200)
  applicationIdentifier?: string;
}

class TaskRetryDto {
  /** Further attempts after one that failed or was interrupted: 0 to 10. Each continues at the step that failed. */
  attempts!: number;
  /** Milliseconds before the first of them; doubled for each further one, at most an hour. */
  backoffMs!: number;
  /** Whether interrupted attempts have at least three further ones, also without `attempts`. The steps may have had effects. */
  onInterrupted!: boolean;
}

class TaskApplicationDto {
  identifier!: string;
  /** The key of the task in the manifest. */
  key!: string;
  /** Whether the application is installed and still declares the task. */
  installed!: boolean;
}

export class TaskDto {
  id!: string;
  name!: string;
  type!: TaskType;
  schedule!: TaskScheduleDto | null;
  workflow!: WorkflowDto;
  /** The number of the workflow; each change of it counts one. */
  version!: number;
  /** How many of its runs execute at the same time. */
  concurrency!: number;
  /** A template: of the runs with the same value, at most `perKey` execute at once. */
  concurrencyKey!: string | null;
  perKey!: number;
  timeoutMs!: number;
  retry!: TaskRetryDto;
  enabled!: boolean;
  /** Why the platform disabled the task. */
  disabledReason!: TaskDisabledReason | null;
  ownerUserId!: string;
  /** When the schedule is due next; null if it is not. */
  nextDueAt!: string | null;
  /** The application that the task belongs to. */
  application!: TaskApplicationDto | null;
  createdAt!: string;
  updatedAt!: string;
}

export class TaskPageDto extends pageOf(TaskDto) {}

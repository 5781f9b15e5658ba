import {
  RUN_STATUSES,
  type EventSource,
  type RunAttemptStatus,
  type RunOrigin,
  type RunStatus,
  type RunStepStatus,
  type StepKind,
} from '@platform/contracts';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsUUID, Length, Matches, Min } from 'class-validator';
import { ANY_JSON } from '../../infra/requests/any-json.ts';
import { FreeForm } from '../../infra/requests/free-form.ts';
import { IsInstant } from '../../infra/requests/instant.ts';
import { PageDto } from '../../infra/requests/page.dto.ts';
import { IsText } from '../../infra/requests/text.ts';
import { FAILURE_ID } from './failure-groups.store.ts';
import { WorkflowDto } from '../definition/tasks.dto.ts';
import type { TestEffects } from '../runs/run.entity.ts';
import { checkRunInputs } from '../runs/run-inputs.ts';
import { pageOf } from '../../infra/responses/page-of.ts';

const ORIGINS = ['MANUAL', 'SCHEDULE', 'EVENT'] as const satisfies RunOrigin[];

export class RunTaskDto {
  /**
   * What the workflow reads as `{{inputs.…}}`, at most 1,000 keys. The key `trigger` is reserved for events.
   * @example { "orderId": "A-17" }
   */
  @ApiPropertyOptional({ type: 'object', additionalProperties: true })
  @FreeForm(checkRunInputs)
  inputs?: Record<string, unknown>;
}

export class RetryRunDto {
  /**
   * The version of the task with which the run goes on: the current one, which is the default, or the one that the run began with. 409
   * if steps that have ended differ in the current one.
   */
  @IsOptional()
  @IsInt()
  @Min(1)
  version?: number;

  /**
   * The id of a step of the workflow that no other contains: it and all after it are executed again, also if they have ended. Effects
   * that have a key, such as events and changes of rows, happen once all the same. Default: the step that failed.
   */
  @IsOptional()
  @IsText()
  @Length(1, 64)
  from?: string;
}

export class RetryPreviewQueryDto extends RetryRunDto {
  /** As in POST. */
  @IsOptional()
  @Transform(
    ({ value }) => (typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value) as unknown,
  )
  @IsInt()
  @Min(1)
  override version?: number;
}

class PlannedStepDto {
  id!: string;
  /** Where the step stands in the run, such as `orders[3].charge`. */
  scope!: string;
  // The document lists the kinds.
  @ApiProperty({ type: 'string' })
  kind!: StepKind;
  name!: string | null;
  /** Whether the step changes anything outside of the run. Code does if a call of it did. */
  hasEffects!: boolean;
}

export class RetryPreviewDto {
  /** The version of the task with which the run would go on. */
  version!: number;
  /** The steps that would be executed again, in the order in which they began. Steps that have not begun follow. */
  repeated!: PlannedStepDto[];
  /** The steps whose output would be used as it is. */
  kept!: PlannedStepDto[];
}

export class TaskRunQueryDto extends PageDto {
  @IsOptional()
  @IsIn(RUN_STATUSES)
  status?: RunStatus;

  @IsOptional()
  @IsIn(ORIGINS)
  origin?: RunOrigin;

  /** The name of the event that started the run, of whichever application. */
  @IsOptional()
  @IsText()
  @Length(1, 200)
  event?: string;

  /** Of the event that started the run. */
  @IsOptional()
  @IsText()
  @Length(1, 200)
  applicationIdentifier?: string;

  /**
   * Of the error with which the run ended.
   * @example TIMEOUT
   */
  @IsOptional()
  @IsText()
  @Length(1, 100)
  errorCode?: string;

  /**
   * A text in the inputs, the payload, the error, or a log, whatever the case of its letters. A page searches at most 1,000
   * runs, and 1,000 steps of each.
   */
  @IsOptional()
  @IsText()
  @Length(1, 200)
  text?: string;

  /** The id of a group of failures. */
  @IsOptional()
  @Matches(FAILURE_ID, { message: '$property must be the id of a group of failures' })
  failure?: string;

  /** `false`: without failures that someone has dismissed. `true`: only those. */
  @IsOptional()
  @IsIn(['true', 'false'])
  dismissed?: 'true' | 'false';

  /** `true`: only tests. Default: none. */
  @IsOptional()
  @IsIn(['true', 'false'])
  isTest?: 'true' | 'false';

  /** Created at this time or later. */
  @IsOptional()
  @IsInstant()
  from?: string;

  /** Created before this time. */
  @IsOptional()
  @IsInstant()
  to?: string;
}

export class RunQueryDto extends TaskRunQueryDto {
  @IsOptional()
  @IsUUID('all')
  taskId?: string;

  /** The user as whom the run acts. */
  @IsOptional()
  @IsUUID('all')
  ownerUserId?: string;
}

class RunErrorDto {
  /** @example STEP_FAILED */
  code!: string;
  message!: string;
}

class TriggerListingDto {
  event!: string;
  source!: EventSource;
  /** The id of the envelope. */
  id!: string;
  emittedAt!: string;
  spaceId!: string;
  actorUserId!: string | null;
  /** The envelope whose run caused this event. */
  causationId!: string | null;
  /** 0 for a first emission. */
  depth!: number;
  /** How many events a batch has. The other fields are those of the event with the largest depth. */
  @ApiProperty({ type: 'integer', required: false })
  itemCount?: number;
}

export class TriggerDto extends TriggerListingDto {
  /** Of a batch: each event as a trigger of its own, in the order in which they were recorded. `payload` is empty then. */
  @ApiProperty({ type: () => [TriggerDto], required: false })
  items?: TriggerDto[];
  @ApiProperty({ type: 'object', additionalProperties: true })
  payload!: Record<string, unknown>;
}

class SimulatedDto {
  /** `run`: the last run of the task that succeeded returned it there. `example`: it is an example. */
  @ApiProperty({ enum: ['run', 'example'] })
  by!: 'run' | 'example';
  runId!: string | null;
}

class RunTestDto {
  effects!: TestEffects;
  /** The workflow that is not stored; null if that of the task was tested. */
  @ApiProperty({ type: WorkflowDto, nullable: true })
  workflow!: WorkflowDto | null;
  /** The envelope whose event is repeated; null if the test has inputs, or an event that was never recorded. */
  envelopeId!: string | null;
}

class ItemCountsDto {
  @ApiProperty({ type: 'integer' })
  count!: number;
  /** The step itself has succeeded all the same with `onItemError: continue`. */
  @ApiProperty({ type: 'integer' })
  failed!: number;
}

class RunStepDto {
  id!: string;
  /**
   * Where the step stands in the run: inside of others, such as `decide.charge`, and for an item, such as `orders[3].charge`.
   * @example orders[3].charge
   */
  scope!: string;
  /** How often the step has been executed, this execution included. */
  stepAttempt!: number;
  // The document lists the kinds.
  @ApiProperty({ type: 'string' })
  kind!: StepKind;
  status!: RunStepStatus;
  /** What the step was given, with its templates resolved; null for code. */
  @ApiProperty({ anyOf: ANY_JSON, nullable: true })
  input!: unknown;
  @ApiProperty({ anyOf: ANY_JSON, nullable: true })
  output!: unknown;
  /** What the step wrote to its log, at most 256 KB per run. While the step executes, it is about a second late. */
  log!: string;
  /** Where the output came from if a test did not execute the step; of code, what its calls returned. Null: it was executed. */
  @ApiProperty({ type: SimulatedDto, nullable: true })
  simulated!: SimulatedDto | null;
  startedAt!: string;
  durationMs!: number | null;
  error?: RunErrorDto;
  /** Of a step of kind `each` that has an output: what became of its items, which are entries of the output. */
  items?: ItemCountsDto;
}

class RunAttemptDto {
  attempt!: number;
  /** HANDED_OVER: its process was told to end between two steps. WAITED: the run went to wait. The next attempt goes on. */
  status!: RunAttemptStatus;
  startedAt!: string;
  finishedAt!: string | null;
  error?: RunErrorDto;
}

/** A run without what was given to it, its steps, and its attempts. */
class RunListingDto {
  id!: string;
  taskId!: string;
  taskName!: string;
  /** The version of the task that the run executes, which it keeps when the task changes. Null until it begins. */
  @ApiProperty({ type: 'integer', nullable: true })
  taskVersion!: number | null;
  /** The user as whom the run acts. */
  ownerUserId!: string;
  origin!: RunOrigin;
  status!: RunStatus;
  /** The event that started the run, without its payload; null for a run that a person or a schedule started. */
  trigger!: TriggerListingDto | null;
  attempt!: number;
  /** Whether someone has requested to cancel the run. */
  cancelRequested!: boolean;
  /** Whether the run is a test, which counts nowhere. */
  isTest!: boolean;
  createdAt!: string;
  /** When the current attempt started; null while it waits. */
  startedAt!: string | null;
  finishedAt!: string | null;
  /** How long the current attempt took, without attempts and pauses before it; null until it has ended. */
  @ApiProperty({ type: 'integer', nullable: true })
  durationMs!: number | null;
  error?: RunErrorDto;
  /** When someone put the failure aside: it is no longer among the failures. Null again after a retry. */
  dismissedAt!: string | null;
  dismissedBy!: string | null;
}

class RunQuestionDto {
  /** As in the inbox. */
  id!: string;
  /** Of the step that asks. */
  scope!: string;
  message!: string;
}

class RunKeyWaitDto {
  /** How many runs with the same value of `concurrencyKey` execute at once. */
  perKey!: number;
  /** The runs that have these places. */
  runIds!: string[];
}

export class RunDto extends RunListingDto {
  /** The event that started the run; null for a run that a person or a schedule started. */
  override trigger!: TriggerDto | null;
  @ApiProperty({ type: 'object', additionalProperties: true })
  inputs!: Record<string, unknown>;
  /** Null for a run that is no test. */
  @ApiProperty({ type: RunTestDto, nullable: true })
  test!: RunTestDto | null;
  /** When its payload was erased, with what its steps were given, returned, and logged. */
  erasedAt!: string | null;
  /** The last execution of each step, in the order in which they began, whatever the attempt. */
  steps!: RunStepDto[];
  /** All attempts that were started, oldest first. */
  attempts!: RunAttemptDto[];
  /** What the run waits for people to answer. */
  questions!: RunQuestionDto[];
  /** What a QUEUED run waits for whose task has a `concurrencyKey`; null if it is not for a place of its key. */
  @ApiProperty({ type: RunKeyWaitDto, nullable: true })
  waitsForKey!: RunKeyWaitDto | null;
}

export class SearchedRunsDto {
  /** How many runs the search has looked at. */
  @ApiProperty({ type: 'integer' })
  runs!: number;
  /** Runs that were created before this time were not looked at; null: none are left. */
  to!: string | null;
}

/** A page can have fewer items than `limit`, even none, and a `nextCursor`. */
export class RunPageDto extends pageOf(RunListingDto) {
  /** For searches by text. `nextCursor` continues them. */
  searched?: SearchedRunsDto;
}

import {
  EVENT_SOURCES,
  RUN_STATUSES,
  type EventSource,
  type RunAttemptStatus,
  type RunOrigin,
  type RunStatus,
  type StepKind,
} from '@platform/contracts';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { ANY_JSON } from '../../infra/requests/any-json.ts';
import { FreeForm } from '../../infra/requests/free-form.ts';
import { PageDto } from '../../infra/requests/page.dto.ts';
import { checkRunInputs } from '../runs/run-inputs.ts';

const ATTEMPT_STATUSES = RUN_STATUSES.filter((status) => status !== 'QUEUED');

export class RunTaskDto {
  /**
   * What the workflow reads as `{{inputs.…}}`, at most 1,000 keys. The key `trigger` is reserved for events.
   * @example { "orderId": "A-17" }
   */
  @ApiPropertyOptional({ type: 'object', additionalProperties: true })
  @FreeForm(checkRunInputs)
  inputs?: Record<string, unknown>;
}

export class RunQueryDto extends PageDto {
  @IsOptional()
  @IsIn(RUN_STATUSES)
  status?: RunStatus;
}

class RunErrorDto {
  /** @example STEP_FAILED */
  code!: string;
  message!: string;
}

export class TriggerDto {
  event!: string;
  @ApiProperty({ type: 'object', additionalProperties: true })
  payload!: Record<string, unknown>;
  @ApiProperty({ enum: EVENT_SOURCES })
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
}

class RunStepDto {
  id!: string;
  // The document lists the kinds.
  @ApiProperty({ type: 'string' })
  kind!: StepKind;
  @ApiProperty({ enum: ATTEMPT_STATUSES })
  status!: RunAttemptStatus;
  /** What the step was given, with its templates resolved; null for code. */
  @ApiProperty({ anyOf: ANY_JSON, nullable: true })
  input!: unknown;
  @ApiProperty({ anyOf: ANY_JSON, nullable: true })
  output!: unknown;
  /** What the step wrote to its log, at most 256 KB per run. */
  log!: string;
  startedAt!: string;
  durationMs!: number | null;
  error?: RunErrorDto;
}

class RunAttemptDto {
  attempt!: number;
  @ApiProperty({ enum: ATTEMPT_STATUSES })
  status!: RunAttemptStatus;
  startedAt!: string;
  finishedAt!: string | null;
  error?: RunErrorDto;
}

export class RunDto {
  id!: string;
  taskId!: string;
  taskName!: string;
  @ApiProperty({ enum: ['MANUAL', 'SCHEDULE', 'EVENT'] })
  origin!: RunOrigin;
  @ApiProperty({ enum: RUN_STATUSES })
  status!: RunStatus;
  /** The event that started the run; null for a run that a person or a schedule started. In lists, `payload` is empty. */
  trigger!: TriggerDto | null;
  /** Empty in lists. */
  @ApiProperty({ type: 'object', additionalProperties: true })
  inputs!: Record<string, unknown>;
  /** The steps of the current attempt. Empty in lists. */
  steps!: RunStepDto[];
  attempt!: number;
  /** All attempts that were started, oldest first. Empty in lists. */
  attempts!: RunAttemptDto[];
  /** Whether someone has requested to cancel the run. */
  cancelRequested!: boolean;
  createdAt!: string;
  startedAt!: string | null;
  finishedAt!: string | null;
  error?: RunErrorDto;
}

export class RunPageDto {
  items!: RunDto[];
  nextCursor!: string | null;
}

import {
  JOB_STATUSES,
  type ChatResponse,
  type ContentItem,
  type ExecuteResponse,
  type JobPhase,
  type JobStatus,
  type MessageContent,
} from '@platform/contracts';
import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import {
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import { FreeForm } from '../../infra/requests/free-form.ts';
import { PageDto } from '../../infra/requests/page.dto.ts';
import { IsText } from '../../infra/requests/text.ts';
import { ChatResponseDto, ExecuteResponseDto } from '../../turns/answers/answers.schema.ts';
import {
  CONTENTS,
  CONTENT_SCHEMA,
  MESSAGE_CONTENTS,
  MESSAGE_CONTENT_SCHEMA,
} from '../../turns/input/contents.schema.ts';
import { checkContents } from '../../turns/input/contents.ts';
import { RequestedModelDto } from '../../turns/input/requested-model.schema.ts';
import { ChatSettingsDto, ExecuteSettingsDto } from '../../turns/input/settings.schema.ts';
import { ExecuteInputsDto } from '../../turns/input/execute-inputs.schema.ts';
import { checkInputs } from '../../turns/input/execute-inputs.ts';
import { checkWebhook } from '../webhooks/webhook-url.ts';
import { pageOf } from '../../infra/responses/page-of.ts';

const MIN_TIMEOUT_MS = 1_000;

const MAX_TIMEOUT_MS = 86_400_000;

const MAX_WAIT_MS = 30_000;

const INCLUDED = ['input'] as const;

class WebhookDto {
  /** An `http:` or `https:` URL, called with POST and signed according to Standard Webhooks. */
  url!: string;
}

class JobOptionsDto extends RequestedModelDto {
  @IsString()
  agentId!: string;

  @IsOptional()
  @IsIn(['AGENT_INVOKE'])
  type?: 'AGENT_INVOKE';

  /** The session to continue or to start. */
  @IsOptional()
  @IsText()
  @Length(1, 128)
  sessionId?: string;

  /** Same as `sessionId`. */
  @IsOptional()
  @IsText()
  @Length(1, 128)
  session_id?: string;

  /** A new id for each user turn. A repeated id returns the existing job. */
  @IsOptional()
  @IsUUID('loose')
  turnId?: string;

  /** Milliseconds after which the job times out, from 1 second to 24 hours; 1 hour by default. */
  @IsOptional()
  @IsInt()
  @Min(MIN_TIMEOUT_MS)
  @Max(MAX_TIMEOUT_MS)
  timeoutMs?: number;

  /** Same as `timeoutMs`. */
  @IsOptional()
  @IsInt()
  @Min(MIN_TIMEOUT_MS)
  @Max(MAX_TIMEOUT_MS)
  timeout?: number;

  /** A repeated key returns the existing job. Can be sent as the header `Idempotency-Key` instead. */
  @IsOptional()
  @IsText()
  @Length(1, 255)
  idempotencyKey?: string;

  /** Called when the job ends or asks a question. */
  @ApiProperty({ type: WebhookDto, required: false })
  @FreeForm(checkWebhook)
  webhook?: WebhookDto;
}

/** A job with the contents of a chat. */
@ApiExtraModels(...CONTENTS)
export class ContentsJobDto extends JobOptionsDto {
  @ApiProperty({ type: 'array', items: CONTENT_SCHEMA, minItems: 1, maxItems: 64 })
  @FreeForm(checkContents)
  contents!: ContentItem[];

  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => ChatSettingsDto)
  settings?: ChatSettingsDto;
}

/** A job with the inputs of an execution. */
export class InputsJobDto extends JobOptionsDto {
  @FreeForm(checkInputs)
  inputs!: ExecuteInputsDto;

  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => ExecuteSettingsDto)
  settings?: ExecuteSettingsDto;
}

export class JobQueryDto extends PageDto {
  @IsOptional()
  @IsIn(JOB_STATUSES)
  status?: JobStatus;

  @IsOptional()
  @IsUUID('loose')
  agentId?: string;
}

export class JobWaitDto {
  /** Milliseconds to wait for a version other than `If-None-Match`, at most 30,000; 0 by default. */
  @IsOptional()
  @Transform(
    ({ value }) => (typeof value === 'string' && /^\d{1,5}$/.test(value) ? Number(value) : value) as unknown,
  )
  @IsInt()
  @Min(0)
  @Max(MAX_WAIT_MS)
  waitMs?: number;

  /** `input`: the job is returned with what it was given. It is no part of other responses, because it can be large. */
  @IsOptional()
  @IsIn(INCLUDED)
  include?: 'input';
}

@ApiExtraModels(...MESSAGE_CONTENTS)
class GivenJobInputDto {
  /** The message, with media as links. */
  @ApiProperty({ type: 'array', items: MESSAGE_CONTENT_SCHEMA })
  contents!: MessageContent[];
  /** The values for the variables of the agent's prompt, which `inputs` can have. */
  @ApiProperty({ type: 'object', additionalProperties: true, example: { language: 'French' } })
  variables!: Record<string, unknown>;
  /** Whether something is missing: of the texts, the media, and the variables, 64 KB each are returned. */
  isShortened!: boolean;
}

class JobErrorDto {
  /** An error code, or INTERRUPTED, TIMED_OUT, CANCELLED, DISMISSED, EXPIRED. */
  code!: string;
  message!: string;
}

@ApiExtraModels(ChatResponseDto, ExecuteResponseDto)
export class JobDto {
  id!: string;
  @ApiProperty({ enum: ['AGENT_INVOKE'] })
  type!: 'AGENT_INVOKE';
  agentId!: string;
  status!: JobStatus;
  phase!: JobPhase;
  /** 0 to 100, never decreasing. */
  progress!: number;
  sessionId!: string;
  turnId!: string;
  /** The response, when the turn has ended or asks a question: of a chat for `contents`, of an execution for `inputs`. */
  @ApiProperty({ oneOf: [ChatResponseDto, ExecuteResponseDto].map((one) => ({ $ref: getSchemaPath(one) })) })
  result?: ChatResponse | ExecuteResponse;
  error?: JobErrorDto;
  /** What the job was given, if `include` asks for it. Null if it was deleted, with its conversation or after its time. */
  @ApiProperty({ type: () => GivenJobInputDto, nullable: true, required: false })
  input?: GivenJobInputDto | null;
  createdAt!: string;
  startedAt!: string | null;
  finishedAt!: string | null;
}

export class JobPageDto extends pageOf(JobDto) {}

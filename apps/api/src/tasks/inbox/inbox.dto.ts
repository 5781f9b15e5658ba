import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { QUESTION_STATUSES, type QuestionPurpose, type QuestionStatus } from '@platform/contracts';
import { IsBoolean, IsIn, IsOptional, MaxLength } from 'class-validator';
import { FreeForm } from '../../infra/requests/free-form.ts';
import { PageDto } from '../../infra/requests/page.dto.ts';
import { IsText } from '../../infra/requests/text.ts';
import { isObject } from '../../infra/runtime/json.ts';
import { argumentsProblems } from './question-fields.ts';
import { AskedCallDto, QuestionFieldDto, RECIPIENTS_SCHEMA, type RecipientsDto } from './question.schema.ts';
import { pageOf } from '../../infra/responses/page-of.ts';

const MAX_NOTE = 2_000;
const MAX_VALUES = 100;

export class InboxQueryDto extends PageDto {
  /** Default: OPEN. */
  @IsOptional()
  @IsIn(QUESTION_STATUSES)
  status?: QuestionStatus;
}

export class InboxCountDto {
  /** How many questions to the caller are open; 100 stands for 100 or more. */
  open!: number;
}

export class AnswerQuestionDto {
  /** By the keys of the fields. Those that are not required can be left out, in an answer that rejects all. */
  @ApiPropertyOptional({ type: 'object', additionalProperties: true, example: { amount: 120 } })
  @FreeForm((value, path) =>
    value === undefined || (isObject(value) && Object.keys(value).length <= MAX_VALUES)
      ? []
      : [`${path} must be an object with at most ${MAX_VALUES} keys`],
  )
  values?: Record<string, unknown>;

  /** Required for a question that asks for approval, and only for it. */
  @IsOptional()
  @IsBoolean()
  approved?: boolean;

  /** The arguments with which a call is approved, in place of those that were shown: they are recorded as changed. */
  @ApiPropertyOptional({ type: 'object', additionalProperties: true, example: { amount: 100 } })
  @FreeForm(argumentsProblems)
  arguments?: Record<string, unknown>;

  /** Of a rejected call, the agent learns it as the reason. */
  @IsOptional()
  @IsText()
  @MaxLength(MAX_NOTE)
  note?: string;
}

class QuestionPersonDto {
  id!: string;
  name!: string;
}

class QuestionAgentDto {
  id!: string;
  name!: string;
}

/** A question without its fields, and without the values of its answer. */
class QuestionListingDto {
  id!: string;
  /** A question of a step or an agent, or what a call of a tool needs. */
  purpose!: QuestionPurpose;
  /** Null: the turn of an agent asks without a run. Then it has no task and no scope, either. */
  runId!: string | null;
  taskId!: string | null;
  taskName!: string | null;
  /** Of the step that asks, such as `approve` or `orders[3].approve`. */
  scope!: string | null;
  /** The agent whose call needs something. */
  agent!: QuestionAgentDto | null;
  /** For whom a call is made: the person of the turn, or the owner of the task. */
  requester!: QuestionPersonDto | null;
  message!: string;
  /** Whether the answer approves or rejects. */
  approval!: boolean;
  @ApiProperty(RECIPIENTS_SCHEMA)
  recipients!: RecipientsDto;
  /** EXPIRED: nobody answered in time. CANCELLED: the run ended before anybody answered. */
  status!: QuestionStatus;
  @ApiProperty({ type: 'boolean', nullable: true })
  approved!: boolean | null;
  answeredBy!: QuestionPersonDto | null;
  answeredAt!: string | null;
  createdAt!: string;
  /** Null: it waits until it is answered. */
  expiresAt!: string | null;
}

export class QuestionDto extends QuestionListingDto {
  /** Of an approval: the call that is made if it is approved. */
  call!: AskedCallDto | null;
  /** Of a connection: the page of the console that offers it. */
  path!: string | null;
  /** The arguments with which the call was approved, if they were changed. */
  @ApiProperty({ type: 'object', additionalProperties: true, nullable: true })
  edited!: Record<string, unknown> | null;
  fields!: QuestionFieldDto[];
  /** Of the answer, by the keys of the fields. */
  @ApiProperty({ type: 'object', additionalProperties: true, nullable: true })
  values!: Record<string, unknown> | null;
  note!: string | null;
  /** Whether the question is addressed to the caller. */
  addressed!: boolean;
}

export class InboxPageDto extends pageOf(QuestionListingDto) {}

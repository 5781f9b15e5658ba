import type { FrameMethod, QuestionPurpose, TurnOutcome } from '@platform/contracts';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ANY_JSON } from '../../infra/requests/any-json.ts';
import { AskedCallDto, QuestionFieldDto } from '../../tasks/inbox/question.schema.ts';
import { TextContentDto } from '../input/contents.schema.ts';

export class TokenUsageDto {
  prompt_tokens!: number;
  completion_tokens!: number;
  /** Prompt and completion. */
  total_tokens!: number;
  /** By the model's prices; 0 if it has none. */
  cost!: number;
  /** Present if the provider reported no figures, so that they were counted locally. */
  @ApiProperty({ type: 'boolean', enum: [true] })
  estimated?: true;
}

class ToolErrorDto {
  code!: string;
  message!: string;
}

class ToolMetadataDto {
  kind!: string;
  httpStatus?: number;
  cached?: boolean;
  warnings?: string[];
  /** The id of the person who approved the call. */
  approvedBy?: string;
  /** Whether that person changed the arguments. */
  edited?: boolean;
}

class ToolExecutionDto {
  callId!: string;
  toolId!: string;
  tool!: string;
  method!: string;
  @ApiProperty({ enum: ['started', 'succeeded', 'failed', 'denied'] })
  status!: 'started' | 'succeeded' | 'failed' | 'denied';
  @ApiProperty({ type: 'object', additionalProperties: true })
  arguments!: Record<string, unknown>;
  /** Any JSON value. */
  @ApiProperty({ anyOf: ANY_JSON })
  result?: unknown;
  error?: ToolErrorDto;
  startedAt!: string;
  /** Milliseconds. */
  durationMs?: number;
  truncated?: boolean;
  metadata!: ToolMetadataDto;
}

class EvidenceDocumentDto {
  id!: string;
  title!: string;
  snippet!: string;
  score!: number;
  @ApiProperty({ enum: ['knowledge', 'web'] })
  source!: 'knowledge' | 'web';
  url?: string;
}

class KnowledgeEvidenceDto {
  query!: string;
  documents!: EvidenceDocumentDto[];
  /** Milliseconds. */
  retrievalMs!: number;
  /** What was searched for, if the question was rewritten into search terms. */
  terms?: string;
  /** Why the search, or a part of it, did not take place although it was asked for. */
  notice?: string;
  /** True if no passage matches the query: those returned are only the closest. Otherwise absent. */
  closest?: boolean;
}

class InteractionOptionDto {
  id!: string;
  label!: string;
  description?: string;
}

export class InteractionDto {
  interactionId!: string;
  turnId!: string;
  sessionId!: string;
  @ApiProperty({ enum: ['single', 'multi'] })
  kind!: 'single' | 'multi';
  /** What it is asked for: a question of the agent, or what a call of a tool needs. Absent in interactions of earlier versions. */
  purpose?: QuestionPurpose;
  /** Of an approval: the call that `approve` makes. */
  call?: AskedCallDto;
  /** Of a connection: the page of the console that offers it. */
  path?: string;
  /** Of a form: what to enter. */
  @ApiPropertyOptional({ type: () => QuestionFieldDto, isArray: true })
  fields?: QuestionFieldDto[];
  question!: string;
  options!: InteractionOptionDto[];
  /** Whether `otherText` may be answered. */
  allowOther!: boolean;
  otherLabel?: string;
  minSelected!: number;
  maxSelected!: number;
  createdAt!: string;
  expiresAt!: string;
}

/** The answer of a chat with `stream: false`. */
export class ChatResponseDto {
  session_id!: string;
  turnId!: string;
  @ApiProperty({ enum: ['completed', 'input_required', 'cancelled'] })
  status!: TurnOutcome;
  contents!: TextContentDto[];
  /** The text of `contents`. */
  answer!: string;
  toolExecutions!: ToolExecutionDto[];
  knowledgeEvidence!: KnowledgeEvidenceDto[];
  /** The question that waits for an answer. */
  interaction!: InteractionDto | null;
  tokens_used!: number;
  token_usage!: TokenUsageDto;
  /** Seconds. */
  execution_time!: number;
}

/** The answer of an execution that is not streamed. */
export class ExecuteResponseDto {
  answer!: string;
  agent_id!: string;
  /** Seconds. */
  execution_time!: number;
  token_usage!: TokenUsageDto;
}

class FrameParamsDto {
  /** `[]` at the root. */
  namespace!: string[];
  /** Milliseconds since 1970. */
  timestamp!: number;
  /** Of a product event: `event`, such as `content-delta`, and its fields. */
  @ApiProperty({ type: 'object', additionalProperties: true })
  data!: Record<string, unknown>;
}

/** The JSON of one `data:` line. The line before it is `id: <segment>.<seq>`. */
export class FrameDto {
  @ApiProperty({ enum: ['event'] })
  type!: 'event';
  method!: FrameMethod;
  params!: FrameParamsDto;
  /** 1, 2, 3 … within a segment. */
  seq!: number;
}

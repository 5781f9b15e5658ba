import {
  FRAME_METHODS,
  TURN_STATUSES,
  type CancelResponse,
  type ChatResponse,
  type EvidenceDocument,
  type ExecuteResponse,
  type Frame,
  type FrameMethod,
  type Interaction,
  type InteractionOption,
  type KnowledgeEvidence,
  type Message,
  type MessageContent,
  type Page,
  type SegmentOrigin,
  type Session,
  type TokenUsage,
  type ToolExecution,
  type Turn,
  type TurnOutcome,
  type TurnSegment,
  type TurnStatus,
} from '@platform/contracts';
import { ApiExtraModels, ApiProperty } from '@nestjs/swagger';
import { ANY_JSON } from '../../infra/http/any-json.ts';
import { MESSAGE_CONTENTS, MESSAGE_CONTENT_SCHEMA, TextContentDto } from '../input/contents.dto.ts';

export class TokenUsageDto implements TokenUsage {
  prompt_tokens!: number;
  completion_tokens!: number;
  /** Prompt and completion. */
  total_tokens!: number;
  /** By the model's prices, 0 where it has none. */
  cost!: number;
  /** Present where the provider gave no figures and they were counted locally. */
  @ApiProperty({ type: Boolean })
  estimated?: true;
}

class TurnErrorDto {
  /** A code of the error table, or INTERRUPTED. */
  code!: string;
  message!: string;
  /** Whether the same `turnId` may be sent again to run the turn once more. */
  retryable!: boolean;
}

class TurnSegmentDto implements TurnSegment {
  segment!: number;
  @ApiProperty({ enum: ['start', 'resume', 'rerun'] })
  origin!: SegmentOrigin;
  lastSeq!: number;
  ended!: boolean;
}

export class TurnDto implements Turn {
  turnId!: string;
  sessionId!: string;
  agentId!: string;
  @ApiProperty({ enum: TURN_STATUSES })
  status!: TurnStatus;
  /** Why it failed or was cancelled. */
  error!: TurnErrorDto | null;
  model!: string | null;
  token_usage!: TokenUsageDto;
  createdAt!: string;
  startedAt!: string | null;
  finishedAt!: string | null;
  /** Seconds, null while it runs. */
  execution_time!: number | null;
  segments!: TurnSegmentDto[];
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
}

class ToolExecutionDto implements ToolExecution {
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

class EvidenceDocumentDto implements EvidenceDocument {
  id!: string;
  title!: string;
  snippet!: string;
  score!: number;
  @ApiProperty({ enum: ['knowledge', 'web'] })
  source!: 'knowledge' | 'web';
  url?: string;
}

class KnowledgeEvidenceDto implements KnowledgeEvidence {
  query!: string;
  documents!: EvidenceDocumentDto[];
  /** Milliseconds. */
  retrievalMs!: number;
  /** Why nothing was searched although it was asked for, in one sentence. */
  notice?: string;
}

class InteractionOptionDto implements InteractionOption {
  id!: string;
  label!: string;
  description?: string;
}

export class InteractionDto implements Interaction {
  interactionId!: string;
  turnId!: string;
  sessionId!: string;
  @ApiProperty({ enum: ['single', 'multi'] })
  kind!: 'single' | 'multi';
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
export class ChatAnswerDto implements ChatResponse {
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
export class ExecuteAnswerDto implements ExecuteResponse {
  answer!: string;
  agent_id!: string;
  /** Seconds. */
  execution_time!: number;
  token_usage!: TokenUsageDto;
}

export class PendingInteractionsDto {
  items!: InteractionDto[];
}

export class CancelAnswerDto implements CancelResponse {
  turnId!: string;
  sessionId!: string;
  /** `cancelling`: the running instance has been told; the others are how the turn stands. */
  @ApiProperty({ enum: ['cancelling', 'cancelled', 'completed', 'failed'] })
  status!: CancelResponse['status'];
}

export class LocalToolAnswerDto {
  callId!: string;
  @ApiProperty({ enum: [true] })
  accepted!: true;
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

/** The JSON of one `data:` line; an `id: <segment>.<seq>` line stands before it. */
export class FrameDto implements Frame<Record<string, unknown>> {
  @ApiProperty({ enum: ['event'] })
  type!: 'event';
  @ApiProperty({ enum: FRAME_METHODS })
  method!: FrameMethod;
  params!: FrameParamsDto;
  /** 1, 2, 3 … within a segment. */
  seq!: number;
}

export class SessionDto implements Session {
  sessionId!: string;
  agentId!: string;
  /** First words of the conversation. */
  title!: string;
  turnCount!: number;
  runningTurnId!: string | null;
  createdAt!: string;
  lastTurnAt!: string;
}

export class SessionPageDto implements Page<Session> {
  items!: SessionDto[];
  nextCursor!: string | null;
}

@ApiExtraModels(...MESSAGE_CONTENTS)
class MessageDto implements Message {
  id!: string;
  turnId!: string;
  @ApiProperty({ enum: ['user', 'assistant'] })
  role!: 'user' | 'assistant';
  @ApiProperty({ type: 'array', items: MESSAGE_CONTENT_SCHEMA })
  contents!: MessageContent[];
  /** How the turn stands that the message belongs to. */
  @ApiProperty({ enum: TURN_STATUSES })
  turnStatus!: TurnStatus;
  createdAt!: string;
}

export class MessagePageDto implements Page<Message> {
  items!: MessageDto[];
  nextCursor!: string | null;
}

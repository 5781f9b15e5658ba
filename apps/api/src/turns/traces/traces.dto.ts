import { ApiExtraModels, ApiProperty } from '@nestjs/swagger';
import {
  TURN_SOURCES,
  TURN_STATUSES,
  type MessageContent,
  type SpanKind,
  type SpanStatus,
  type TurnSource,
  type TurnStatus,
} from '@platform/contracts';
import { IsIn, IsOptional, IsUUID, MaxLength } from 'class-validator';
import { ANY_JSON } from '../../infra/requests/any-json.ts';
import { TimedPageDto } from '../../infra/requests/page.dto.ts';
import { IsFilledText } from '../../infra/requests/text.ts';
import { TokenUsageDto } from '../answers/answers.schema.ts';
import { MESSAGE_CONTENTS, MESSAGE_CONTENT_SCHEMA } from '../input/contents.schema.ts';
import { TurnDto, TurnErrorDto } from '../lifecycle/turns.dto.ts';
import { pageOf } from '../../infra/responses/page-of.ts';

const SCOPES = ['own', 'space'] as const;

export class TurnQueryDto extends TimedPageDto {
  /** `space`: the turns of all users of the space, without their sessions; only for admins. Default: own. */
  @IsOptional()
  @IsIn(SCOPES)
  scope?: 'own' | 'space';

  /** One user; only with scope `space`. */
  @IsOptional()
  @IsUUID('loose')
  userId?: string;

  @IsOptional()
  @IsUUID('loose')
  agentId?: string;

  /** One session of the caller; requires `agentId`. */
  @IsOptional()
  @IsFilledText()
  @MaxLength(128)
  sessionId?: string;

  /** Turns that a run of a task caused. */
  @IsOptional()
  @IsUUID('loose')
  runId?: string;

  @IsOptional()
  @IsIn(TURN_STATUSES)
  status?: TurnStatus;

  @IsOptional()
  @IsIn(TURN_SOURCES)
  source?: TurnSource;

  /** The name of a model. */
  @IsOptional()
  @IsFilledText()
  @MaxLength(200)
  model?: string;

  /** Words in the title of the session, the id of a turn, or the name of a session. Only the caller's own turns. */
  @IsOptional()
  @IsFilledText()
  @MaxLength(200)
  search?: string;
}

class TurnUserDto {
  id!: string;
  email!: string;
  name!: string;
}

class TurnSessionDto {
  sessionId!: string;
  /** First words of the conversation. */
  title!: string;
  /** Whether the list of sessions contains it: executions without memory have a session of their own. */
  isListed!: boolean;
}

class TurnListingDto {
  /** Identifies the turn in the list. */
  id!: string;
  turnId!: string;
  agentId!: string;
  user!: TurnUserDto | null;
  /** The session of the caller's own turn. Null for the turns of others. */
  session!: TurnSessionDto | null;
  source!: TurnSource | null;
  status!: TurnStatus;
  /** Why it failed or was canceled. */
  @ApiProperty({ type: String, nullable: true, example: 'UNAVAILABLE' })
  errorCode!: string | null;
  model!: string;
  token_usage!: TokenUsageDto;
  createdAt!: string;
  startedAt!: string | null;
  finishedAt!: string | null;
  /** Seconds. Null while it runs. */
  execution_time!: number | null;
}

export class TurnPageDto extends pageOf(TurnListingDto) {}

class SpanErrorDto {
  code!: string;
  message!: string;
}

class TraceSpanDto {
  id!: string;
  kind!: SpanKind;
  /** The model, the tool and its method, or the question. */
  name!: string;
  status!: SpanStatus;
  startedAt!: string;
  /** Milliseconds. Null while it runs. */
  durationMs!: number | null;
  /** Of a model call: milliseconds until its first output. */
  firstTokenMs?: number;
  /** Of a model call. */
  token_usage?: TokenUsageDto;
  /** Prompt tokens that the provider read from its cache. */
  cachedTokens?: number;
  /** Completion tokens that were used for reasoning. */
  reasoningTokens?: number;
  /** The arguments of a tool call as text, or the options of a question. */
  @ApiProperty({ anyOf: ANY_JSON })
  input?: unknown;
  /** The text and tool calls of a model, the result of a tool as text, or the answer to a question. */
  @ApiProperty({ anyOf: ANY_JSON })
  output?: unknown;
  /** Input or output was shortened. */
  truncated?: boolean;
  error?: SpanErrorDto;
}

class TraceErrorDto extends TurnErrorDto {
  /** What the model's server said. Only for the owner of the agent and admins. */
  detail?: string;
}

@ApiExtraModels(...MESSAGE_CONTENTS)
export class TraceDto extends TurnDto {
  /** Why it failed or was canceled. */
  @ApiProperty({ type: () => TraceErrorDto, nullable: true })
  override error!: TraceErrorDto | null;
  source!: TurnSource | null;
  /** The run of a task that caused the turn. */
  runId!: string | null;
  /** Whether its session is in the list of sessions. */
  sessionListed!: boolean;
  /** The text of the user message. */
  input!: string;
  /** Images, audio, and files of the user message. */
  @ApiProperty({ type: 'array', items: MESSAGE_CONTENT_SCHEMA })
  attachments!: MessageContent[];
  /** In the order in which they began. */
  spans!: TraceSpanDto[];
  /** The span of an MCP client that the turn is part of, as W3C Trace Context writes it. */
  @ApiProperty({
    type: String,
    nullable: true,
    example: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  })
  traceparent!: string | null;
}

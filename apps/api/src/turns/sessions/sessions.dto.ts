import { ApiExtraModels, ApiProperty } from '@nestjs/swagger';
import type { MessageContent, TurnStatus } from '@platform/contracts';
import { MaxLength } from 'class-validator';
import { IsFilledText } from '../../infra/requests/text.ts';
import { MESSAGE_CONTENTS, MESSAGE_CONTENT_SCHEMA } from '../input/contents.schema.ts';
import { pageOf } from '../../infra/responses/page-of.ts';

export class RenameSessionDto {
  @ApiProperty({ example: 'Trip to Lisbon' })
  @IsFilledText()
  @MaxLength(200)
  title!: string;
}

export class SessionDto {
  sessionId!: string;
  agentId!: string;
  /** First words of the conversation. */
  title!: string;
  turnCount!: number;
  runningTurnId!: string | null;
  createdAt!: string;
  lastTurnAt!: string;
}

export class SessionPageDto extends pageOf(SessionDto) {}

@ApiExtraModels(...MESSAGE_CONTENTS)
class MessageDto {
  id!: string;
  turnId!: string;
  @ApiProperty({ enum: ['user', 'assistant'] })
  role!: 'user' | 'assistant';
  @ApiProperty({ type: 'array', items: MESSAGE_CONTENT_SCHEMA })
  contents!: MessageContent[];
  /** The status of the turn that the message belongs to. */
  turnStatus!: TurnStatus;
  createdAt!: string;
}

export class MessagePageDto extends pageOf(MessageDto) {}

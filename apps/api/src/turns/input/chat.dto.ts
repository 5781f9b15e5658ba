import type { ChatRequest, ChatSettings, ContentItem } from '@platform/contracts';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsNumber,
  IsObject,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import { ApiExtraModels, ApiProperty } from '@nestjs/swagger';
import { FreeForm } from '../../infra/http/free-form.ts';
import { IsText } from '../../infra/http/text.ts';
import { CONTENTS, CONTENT_SCHEMA } from './contents.dto.ts';
import { checkContents } from './contents.ts';

const FINITE = { allowNaN: false, allowInfinity: false };

export class ChatSettingsDto implements ChatSettings {
  /** 0 to 2. */
  @IsOptional()
  @IsNumber(FINITE)
  @Min(0)
  @Max(2)
  temperature?: number;

  /** At least 1; lowered to what the model can do. */
  @IsOptional()
  @IsInt()
  @Min(1)
  max_tokens?: number;

  /** 0 to 1. */
  @IsOptional()
  @IsNumber(FINITE)
  @Min(0)
  @Max(1)
  top_p?: number;

  @IsOptional()
  @IsNumber(FINITE)
  frequency_penalty?: number;

  @IsOptional()
  @IsNumber(FINITE)
  presence_penalty?: number;

  /** `ask`: no tool that acts is offered. */
  @IsOptional()
  @IsIn(['ask', 'agent'])
  chat_mode?: 'ask' | 'agent';

  @IsOptional()
  @IsBoolean()
  disable_web_search?: boolean;
}

@ApiExtraModels(...CONTENTS)
export class ChatDto implements ChatRequest {
  /** Text, images, audio and files; at least one, at most 64. */
  @ApiProperty({
    type: 'array',
    items: CONTENT_SCHEMA,
    minItems: 1,
    maxItems: 64,
  })
  @FreeForm(checkContents)
  contents!: ContentItem[];

  /** Continues, or starts, the conversation of that name. */
  @IsOptional()
  @IsText()
  @Length(1, 128)
  session_id?: string;

  /** One per user turn; reused only to retry that turn. */
  @IsOptional()
  @IsUUID('loose')
  turnId?: string;

  /** Server-Sent Events (default) or one JSON body. */
  @IsOptional()
  @IsBoolean()
  stream?: boolean;

  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => ChatSettingsDto)
  settings?: ChatSettingsDto;

  /** Local tools of the agent that the caller has registered and can run. */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(1_000)
  @IsString({ each: true })
  registeredLocalTools?: string[];
}

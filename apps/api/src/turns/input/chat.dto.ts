import type { ChatRequest, ContentItem } from '@platform/contracts';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsObject,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  MaxLength,
  ValidateNested,
} from 'class-validator';
import { ApiExtraModels, ApiProperty } from '@nestjs/swagger';
import { FreeForm } from '../../infra/http/free-form.ts';
import { IsFilledText, IsText } from '../../infra/http/text.ts';
import { CONTENTS, CONTENT_SCHEMA } from './contents.schema.ts';
import { checkContents } from './contents.ts';
import { ChatSettingsDto } from './settings.schema.ts';

@ApiExtraModels(...CONTENTS)
export class ChatDto implements ChatRequest {
  /** Text, images, audio, and files: 1 to 64 items. */
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

  /** The name of a model of the space, in place of the agent's; only for the owner of the agent and admins. */
  @IsOptional()
  @IsFilledText()
  @MaxLength(200)
  model?: string;

  /** Local tools of the agent that the caller has registered and can run. */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(1_000)
  @IsString({ each: true })
  registeredLocalTools?: string[];
}

import type { ContentItem } from '@platform/contracts';
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
  ValidateNested,
} from 'class-validator';
import { ApiExtraModels, ApiProperty } from '@nestjs/swagger';
import { FreeForm } from '../../infra/requests/free-form.ts';
import { IsText } from '../../infra/requests/text.ts';
import { CONTENTS, CONTENT_SCHEMA } from './contents.schema.ts';
import { checkContents } from './contents.ts';
import { RequestedModelDto } from './requested-model.schema.ts';
import { ChatSettingsDto } from './settings.schema.ts';

@ApiExtraModels(...CONTENTS)
export class ChatDto extends RequestedModelDto {
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

  /** A new id for each user turn. Reused only to retry that turn. */
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

import { ApiProperty } from '@nestjs/swagger';
import type { ExecuteInputs, ExecuteRequest } from '@platform/contracts';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsObject,
  IsOptional,
  IsString,
  MaxLength,
  ValidateNested,
} from 'class-validator';
import { FreeForm } from '../../infra/http/free-form.ts';
import { IsFilledText } from '../../infra/http/text.ts';
import { checkInputs } from './execute-inputs.ts';
import { ExecuteSettingsDto } from './settings.schema.ts';

export class ExecuteDto implements ExecuteRequest {
  /** `query`, `session_id`, `memory`, `context`, `internet`, `images`, `audios`, and the variables of the prompt. */
  @ApiProperty({ type: 'object', additionalProperties: true })
  @FreeForm(checkInputs)
  inputs!: ExecuteInputs;

  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => ExecuteSettingsDto)
  settings?: ExecuteSettingsDto;

  /** One JSON body (default) or Server-Sent Events. */
  @IsOptional()
  @IsBoolean()
  stream?: boolean;

  /** The name of a model of the space, in place of the agent's; only for the owner of the agent and admins. */
  @IsOptional()
  @IsFilledText()
  @MaxLength(200)
  model?: string;

  /** Local tools of the agent that the caller has registered and can run; only with `stream: true`. */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(1_000)
  @IsString({ each: true })
  registeredLocalTools?: string[];
}

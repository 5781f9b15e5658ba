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
  ValidateNested,
} from 'class-validator';
import { FreeForm } from '../../infra/requests/free-form.ts';
import { checkInputs } from './execute-inputs.ts';
import { RequestedModelDto } from './requested-model.schema.ts';
import { ExecuteSettingsDto } from './settings.schema.ts';

export class ExecuteDto extends RequestedModelDto implements ExecuteRequest {
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

  /** Local tools of the agent that the caller has registered and can run; only with `stream: true`. */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(1_000)
  @IsString({ each: true })
  registeredLocalTools?: string[];
}

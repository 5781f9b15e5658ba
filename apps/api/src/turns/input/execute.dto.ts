import { ApiProperty } from '@nestjs/swagger';
import type { ExecuteInputs, ExecuteRequest, ExecuteSettings } from '@platform/contracts';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsInt,
  IsNumber,
  IsObject,
  IsOptional,
  IsString,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import { FreeForm } from '../../infra/http/free-form.ts';
import { checkInputs } from './execute-inputs.ts';

const FINITE = { allowNaN: false, allowInfinity: false };

export class ExecuteSettingsDto implements ExecuteSettings {
  /** 0 to 1. */
  @IsOptional()
  @IsNumber(FINITE)
  @Min(0)
  @Max(1)
  temperature?: number;

  /** At least 1; lowered to what the model can do. */
  @IsOptional()
  @IsInt()
  @Min(1)
  maxTokens?: number;

  /** 0 to 1. */
  @IsOptional()
  @IsNumber(FINITE)
  @Min(0)
  @Max(1)
  top_p?: number;

  @IsOptional()
  @IsNumber(FINITE)
  presence_penalty?: number;

  @IsOptional()
  @IsNumber(FINITE)
  frequency_penalty?: number;
}

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

  /** Local tools of the agent that the caller has registered and can run; only with `stream: true`. */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(1_000)
  @IsString({ each: true })
  registeredLocalTools?: string[];
}

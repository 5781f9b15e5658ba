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
import { ExecuteInputsDto } from './execute-inputs.schema.ts';
import { checkInputs } from './execute-inputs.ts';
import { RequestedModelDto } from './requested-model.schema.ts';
import { ExecuteSettingsDto } from './settings.schema.ts';

export class ExecuteDto extends RequestedModelDto {
  @FreeForm(checkInputs)
  inputs!: ExecuteInputsDto;

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

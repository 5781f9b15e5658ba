import { IsBoolean, IsIn, IsInt, IsNumber, IsOptional, Max, Min } from 'class-validator';

const FINITE = { allowNaN: false, allowInfinity: false };

export class ChatSettingsDto {
  /** 0 to 2. */
  @IsOptional()
  @IsNumber(FINITE)
  @Min(0)
  @Max(2)
  temperature?: number;

  /** At least 1; reduced to the limit of the model. */
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

  /** `ask`: tools with side effects are not offered. */
  @IsOptional()
  @IsIn(['ask', 'agent'])
  chat_mode?: 'ask' | 'agent';

  @IsOptional()
  @IsBoolean()
  disable_web_search?: boolean;
}

export class ExecuteSettingsDto {
  /** 0 to 1. */
  @IsOptional()
  @IsNumber(FINITE)
  @Min(0)
  @Max(1)
  temperature?: number;

  /** At least 1; reduced to the limit of the model. */
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

import { MODEL_KINDS, MODEL_PROVIDERS, type ModelKind, type ModelProviderKind } from '@platform/contracts';
import { PartialType } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  IsBoolean,
  IsIn,
  IsInt,
  IsNumber,
  IsObject,
  IsOptional,
  IsUUID,
  Max,
  MaxLength,
  Min,
  ValidateBy,
  ValidateNested,
} from 'class-validator';
import { IsFilledText, IsHeaderText, IsText } from '../../infra/requests/text.ts';
import { baseUrlProblem } from './model-definition.ts';
import { pageOf } from '../../infra/responses/page-of.ts';

const IsBaseUrl = () =>
  ValidateBy({
    name: 'isBaseUrl',
    validator: {
      validate: (value) => baseUrlProblem(value) === null,
      defaultMessage: (at) => `baseUrl ${baseUrlProblem(at?.value) ?? ''}`,
    },
  });

const IsPrice = () => IsNumber({ allowNaN: false, allowInfinity: false, maxDecimalPlaces: 6 });

export class ModelPriceOptionsDto {
  /** Per million input tokens. Default: free. */
  @IsOptional()
  @IsPrice()
  @Min(0)
  @Max(1_000_000)
  inputPerMillion?: number;

  /** Per million output tokens. Default: free. */
  @IsOptional()
  @IsPrice()
  @Min(0)
  @Max(1_000_000)
  outputPerMillion?: number;

  /** Per million input tokens that the provider had cached. Default: the price of input. */
  @IsOptional()
  @IsPrice()
  @Min(0)
  @Max(1_000_000)
  cachedInputPerMillion?: number;
}

export class ModelCapabilitiesOptionsDto {
  /** Default true. */
  @IsOptional()
  @IsBoolean()
  images?: boolean;

  /** Default false. */
  @IsOptional()
  @IsBoolean()
  audio?: boolean;

  /** Default true. */
  @IsOptional()
  @IsBoolean()
  files?: boolean;

  /** Default true. */
  @IsOptional()
  @IsBoolean()
  tools?: boolean;
}

export class CreateModelDto {
  /** The name that agents use; unique in the space. */
  @IsFilledText()
  @MaxLength(200)
  name!: string;

  /** Default openai-compatible. */
  @IsOptional()
  @IsIn(MODEL_PROVIDERS)
  provider?: ModelProviderKind;

  /** What it does: chat (the default), embedding (turns texts into vectors), or rerank (says how well texts answer). */
  @IsOptional()
  @IsIn(MODEL_KINDS)
  kind?: ModelKind;

  /** Base address of an OpenAI-compatible API, such as https://api.openai.com/v1. */
  @IsOptional()
  @IsBaseUrl()
  @MaxLength(2000)
  baseUrl?: string;

  /** Write-only. An empty key removes the stored one. Required again with a new baseUrl. */
  @IsOptional()
  @IsText()
  @IsHeaderText()
  @MaxLength(4000)
  apiKey?: string;

  /** The name by which the provider knows the model. Default: the same name. */
  @IsOptional()
  @IsFilledText()
  @MaxLength(200)
  upstreamModel?: string;

  /** In tokens. Default: 128,000. */
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(100_000_000)
  contextWindow?: number;

  /** In tokens, at most the contextWindow. Default: 4,096. */
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(100_000_000)
  maxOutputTokens?: number;

  /** Replaces all three prices. */
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => ModelPriceOptionsDto)
  price?: ModelPriceOptionsDto;

  /** Replaces all four; missing ones have their defaults. */
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => ModelCapabilitiesOptionsDto)
  capabilities?: ModelCapabilitiesOptionsDto;
}

export class UpdateModelDto extends PartialType(CreateModelDto) {}

export class ListAvailableModelsDto {
  /** Base address of an OpenAI-compatible API. Required without a modelId, and absent with one. */
  @IsOptional()
  @IsBaseUrl()
  @MaxLength(2000)
  baseUrl?: string;

  /** The model whose server is asked, with its stored key unless there is an apiKey. */
  @IsOptional()
  @IsUUID('loose')
  modelId?: string;

  /** Is sent with this call, and not stored. An empty one sends none. */
  @IsOptional()
  @IsText()
  @IsHeaderText()
  @MaxLength(4000)
  apiKey?: string;
}

class ModelPriceDto {
  inputPerMillion!: number | null;
  outputPerMillion!: number | null;
  /** Null means the same price as other input. */
  cachedInputPerMillion!: number | null;
}

class ModelCapabilitiesDto {
  images!: boolean;
  audio!: boolean;
  files!: boolean;
  tools!: boolean;
}

export class SaveModelQueryDto {
  /** `true`: ask the model one short question after it is saved, and return whether it answered. */
  @IsOptional()
  @IsIn(['true', 'false'])
  test?: string;
}

class ModelDto {
  id!: string;
  name!: string;
  provider!: ModelProviderKind;
  kind!: ModelKind;
  baseUrl!: string | null;
  /** Whether a key is stored. The key itself is never returned. */
  apiKeyConfigured!: boolean;
  upstreamModel!: string;
  contextWindow!: number;
  maxOutputTokens!: number;
  price!: ModelPriceDto;
  capabilities!: ModelCapabilitiesDto;
  createdAt!: string;
  updatedAt!: string;
}

export class ModelPageDto extends pageOf(ModelDto) {}

export class ModelTestResultDto {
  ok!: boolean;
  /** Milliseconds until the first token; null if there was none. */
  latencyMs!: number | null;
  message!: string;
}

export class AvailableModelsDto {
  /** Whether the server sent a list of its models. */
  ok!: boolean;
  /** What `upstreamModel` can be, in the order of the server; at most 2,000. */
  names!: string[];
  /** Whether these are all models of the server. */
  isComplete!: boolean;
  message!: string;
}

export class SavedModelDto extends ModelDto {
  /** Only with `test=true`. The model is saved, whatever the result is. */
  test?: ModelTestResultDto;
}

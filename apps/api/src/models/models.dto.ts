import {
  MODEL_PROVIDERS,
  type CreateModelRequest,
  type Model,
  type ModelCapabilities,
  type ModelPrice,
  type ModelProviderKind,
  type ModelTestResult,
  type Page,
  type UpdateModelRequest,
} from '@platform/contracts';
import { PartialType } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  IsBoolean,
  IsIn,
  IsInt,
  IsNumber,
  IsObject,
  IsOptional,
  Max,
  MaxLength,
  Min,
  ValidateBy,
  ValidateNested,
} from 'class-validator';
import { IsFilledText, IsText } from '../infra/http/text.ts';
import { baseUrlProblem } from './model-definition.ts';

const IsBaseUrl = () =>
  ValidateBy({
    name: 'isBaseUrl',
    validator: {
      validate: (value) => baseUrlProblem(value) === null,
      defaultMessage: (at) => `baseUrl ${baseUrlProblem(at?.value) ?? ''}`,
    },
  });

const IsPrice = () => IsNumber({ allowNaN: false, allowInfinity: false, maxDecimalPlaces: 6 });

export class ModelPriceDto implements Partial<ModelPrice> {
  /** Per million input tokens; none: free. */
  @IsOptional()
  @IsPrice()
  @Min(0)
  @Max(1_000_000)
  inputPerMillion?: number;

  /** Per million output tokens; none: free. */
  @IsOptional()
  @IsPrice()
  @Min(0)
  @Max(1_000_000)
  outputPerMillion?: number;

  /** Per million input tokens that the provider had cached; none: the price of input. */
  @IsOptional()
  @IsPrice()
  @Min(0)
  @Max(1_000_000)
  cachedInputPerMillion?: number;
}

export class ModelCapabilitiesDto implements Partial<ModelCapabilities> {
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

export class CreateModelDto implements CreateModelRequest {
  /** What agents call it; unique in the space. */
  @IsFilledText()
  @MaxLength(200)
  name!: string;

  /** Default openai-compatible. */
  @IsOptional()
  @IsIn(MODEL_PROVIDERS)
  provider?: ModelProviderKind;

  /** Base address of an OpenAI-compatible API, such as https://api.openai.com/v1. */
  @IsOptional()
  @IsBaseUrl()
  @MaxLength(2000)
  baseUrl?: string;

  /** Write-only; an empty one takes the key away. A new baseUrl demands it again. */
  @IsOptional()
  @IsText()
  @MaxLength(4000)
  apiKey?: string;

  /** The name that the provider knows; none: the same name. */
  @IsOptional()
  @IsFilledText()
  @MaxLength(200)
  upstreamModel?: string;

  /** Tokens, default 128,000. */
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(100_000_000)
  contextWindow?: number;

  /** Tokens, default 4,096; at most the contextWindow. */
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(100_000_000)
  maxOutputTokens?: number;

  /** Replaces all three prices. */
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => ModelPriceDto)
  price?: ModelPriceDto;

  /** Replaces all four; what is not said takes its default. */
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => ModelCapabilitiesDto)
  capabilities?: ModelCapabilitiesDto;
}

export class UpdateModelDto extends PartialType(CreateModelDto) implements UpdateModelRequest {}

class ModelPriceAnswerDto implements ModelPrice {
  inputPerMillion!: number | null;
  outputPerMillion!: number | null;
  cachedInputPerMillion!: number | null;
}

class ModelCapabilitiesAnswerDto implements ModelCapabilities {
  images!: boolean;
  audio!: boolean;
  files!: boolean;
  tools!: boolean;
}

export class ModelDto implements Model {
  id!: string;
  name!: string;
  provider!: ModelProviderKind;
  baseUrl!: string | null;
  /** Whether a key is stored; the key itself is never told. */
  apiKeyConfigured!: boolean;
  upstreamModel!: string;
  contextWindow!: number;
  maxOutputTokens!: number;
  price!: ModelPriceAnswerDto;
  capabilities!: ModelCapabilitiesAnswerDto;
  createdAt!: string;
  updatedAt!: string;
}

export class ModelPageDto implements Page<Model> {
  items!: ModelDto[];
  nextCursor!: string | null;
}

export class ModelTestDto implements ModelTestResult {
  ok!: boolean;
  /** Milliseconds to the first piece of the answer, null when none came. */
  latencyMs!: number | null;
  message!: string;
}

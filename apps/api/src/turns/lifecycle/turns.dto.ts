import { ApiProperty } from '@nestjs/swagger';
import type { CancelRequest, ResumeRequest } from '@platform/contracts';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsIn, IsInt, IsOptional, IsString, MaxLength, Min } from 'class-validator';
import { ANY_JSON } from '../../infra/http/any-json.ts';
import { FreeForm } from '../../infra/http/free-form.ts';
import { IsText } from '../../infra/http/text.ts';

const toInt = ({ value }: { value: unknown }): unknown =>
  typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;

export class AttachDto {
  /** Which stream of the turn; default the latest. */
  @IsOptional()
  @Transform(toInt)
  @IsInt()
  @Min(1)
  segment?: number;

  /** The last seq that is known; default 0, or what `Last-Event-ID` says. */
  @IsOptional()
  @Transform(toInt)
  @IsInt()
  @Min(0)
  after?: number;
}

export class ResumeDto implements ResumeRequest {
  @IsString()
  sessionId!: string;

  @IsString()
  interactionId!: string;

  /** Ids of the chosen options, never their labels. */
  @IsArray()
  @ArrayMaxSize(100)
  @IsString({ each: true })
  selectedOptionIds!: string[];

  /** The user's own words, only where the question allows them. */
  @IsOptional()
  @IsText()
  @MaxLength(10_000)
  otherText?: string;
}

export class CancelDto implements CancelRequest {
  @IsString()
  sessionId!: string;
}

/** Exactly one of `result`, `error` and `denied`. */
export class LocalToolResultDto {
  /** What the tool gave: any JSON value, null too. */
  @ApiProperty({ required: false, anyOf: ANY_JSON })
  @FreeForm(() => [])
  result?: unknown;

  /** Why the tool failed, for the model. */
  @IsOptional()
  @IsString()
  @MaxLength(10_000)
  error?: string;

  /** The user did not allow the call. */
  @IsOptional()
  @IsIn([true])
  denied?: true;

  @IsOptional()
  @IsString()
  @MaxLength(10_000)
  reason?: string;
}

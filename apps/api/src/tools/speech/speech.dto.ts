import { IsIn, IsInt, IsNumber, IsOptional, MaxLength } from 'class-validator';
import { IsText } from '../../infra/requests/text.ts';

export class UpdateSpeechToolDto {
  /** Write-only; begins with AKID. If left out, the stored one is kept; an empty one is removed. */
  @IsOptional()
  @IsText()
  @MaxLength(200)
  secretId?: string;

  /** Write-only; at least 20 characters. If left out, the stored one is kept; an empty one is removed. */
  @IsOptional()
  @IsText()
  @MaxLength(200)
  secretKey?: string;

  @IsOptional()
  @IsText()
  @MaxLength(200)
  appId?: string;

  /** Default ap-guangzhou. */
  @IsOptional()
  @IsText()
  @MaxLength(100)
  region?: string;

  /** The engine for the default language. Default: the one for that language, such as 16k_zh for zh-CN. */
  @IsOptional()
  @IsText()
  @MaxLength(100)
  engineType?: string;

  /** Milliseconds: 5,000 to 300,000. Default 60,000. */
  @IsOptional()
  @IsInt()
  timeout?: number;

  /** Bytes: at most 5,242,880, the default. */
  @IsOptional()
  @IsInt()
  maxFileSize?: number;

  /** Seconds: at most 60, the default. */
  @IsOptional()
  @IsNumber({ allowNaN: false, allowInfinity: false })
  maxDuration?: number;

  /** Default zh-CN. */
  @IsOptional()
  @IsText()
  @MaxLength(100)
  defaultLanguage?: string;

  /** The host of a private deployment. With a new one, secretId and secretKey must be sent again. */
  @IsOptional()
  @IsText()
  @MaxLength(300)
  endpoint?: string;

  /** Default https. */
  @IsOptional()
  @IsIn(['http', 'https'])
  protocol?: 'http' | 'https';
}

export class SpeechToolConfigurationDto {
  region!: string;
  /** Null: the engine follows the language. */
  engineType!: string | null;
  timeout!: number;
  maxFileSize!: number;
  maxDuration!: number;
  defaultLanguage!: string;
  endpoint!: string | null;
  protocol!: 'http' | 'https';
  appId!: string | null;
  /** Whether credentials are set, in the space or in the environment. */
  credentials!: 'none' | 'environment' | 'space';
  /** What is wrong, without values. Empty if the tool can be used. */
  problems!: string[];
}

import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, MaxLength } from 'class-validator';
import { ANY_JSON } from '../../infra/requests/any-json.ts';
import { FreeForm } from '../../infra/requests/free-form.ts';

/** Exactly one of `result`, `error`, and `denied`. */
export class LocalToolResultDto {
  /** The result of the tool: any JSON value, including null. */
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

export class LocalToolReceiptDto {
  callId!: string;
  @ApiProperty({ enum: [true] })
  accepted!: true;
}

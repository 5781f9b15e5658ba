import { ApiProperty } from '@nestjs/swagger';
import { IsNotEmpty, IsOptional, MaxLength } from 'class-validator';
import { FreeForm } from '../../infra/requests/free-form.ts';
import { IsText } from '../../infra/requests/text.ts';
import { checkPayload } from './emit.dto.ts';
import { MAX_KEY } from './idempotency-key.ts';

export class TestEmissionDto {
  /** Must satisfy the schema of the event. */
  @ApiProperty({ type: 'object', additionalProperties: true, example: { amount: 50, currency: 'EUR' } })
  @FreeForm(checkPayload)
  payload!: Record<string, unknown>;

  /** Emitting by hand again with the same key records nothing. Keys of applications are others. At most 255 characters. */
  @ApiProperty({ example: 'A-1001', nullable: true })
  @IsOptional()
  @IsText()
  @IsNotEmpty()
  @MaxLength(MAX_KEY)
  idempotencyKey?: string;
}

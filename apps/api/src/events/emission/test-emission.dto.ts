import { ApiProperty } from '@nestjs/swagger';
import { FreeForm } from '../../infra/requests/free-form.ts';
import { checkPayload } from './emit.dto.ts';

export class TestEmissionDto {
  /** Must satisfy the schema of the event. */
  @ApiProperty({ type: 'object', additionalProperties: true, example: { amount: 50, currency: 'EUR' } })
  @FreeForm(checkPayload)
  payload!: Record<string, unknown>;
}

import type { CatalogApplication, CatalogEvent, JsonSchema, TestEmissionRequest } from '@platform/contracts';
import { ApiProperty } from '@nestjs/swagger';
import { FreeForm } from '../infra/http/free-form.ts';
import { checkPayload } from './emit.dto.ts';

class CatalogEventDto implements CatalogEvent {
  @ApiProperty({ example: 'order.created' })
  name!: string;
  description!: string;
  /** A JSON Schema of draft 2020-12. */
  @ApiProperty({
    oneOf: [{ type: 'object', additionalProperties: true }, { type: 'boolean' }],
    example: { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] },
  })
  payloadSchema!: JsonSchema;
}

export class CatalogApplicationDto implements CatalogApplication {
  @ApiProperty({ example: 'order-desk' })
  applicationIdentifier!: string;
  name!: string;
  events!: CatalogEventDto[];
}

export class TestEmissionDto implements TestEmissionRequest {
  /** Must satisfy the schema of the event. */
  @ApiProperty({ type: 'object', additionalProperties: true, example: { amount: 50, currency: 'EUR' } })
  @FreeForm(checkPayload)
  payload!: Record<string, unknown>;
}

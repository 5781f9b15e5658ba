import type { JsonSchema } from '@platform/contracts';
import { ApiProperty } from '@nestjs/swagger';

class CatalogEventDto {
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

export class CatalogApplicationDto {
  @ApiProperty({ example: 'order-desk' })
  applicationIdentifier!: string;
  name!: string;
  events!: CatalogEventDto[];
}

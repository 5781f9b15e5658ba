import { ApiProperty } from '@nestjs/swagger';
import { FreeForm } from '../infra/requests/free-form.ts';
import { checkBatch } from './row-values.pipe.ts';

/** Beside these fields, a row has each declared column; null if it has no value for it. */
export class DataRowDto {
  id!: string;
  createdAt!: string;
  updatedAt!: string;
  [column: string]: unknown;
}

export class DataRowPageDto {
  items!: DataRowDto[];
  nextCursor!: string | null;
}

export class CreateDataRowsDto {
  /** 1 to 10,000 rows, each with its column values; a row has at most 256 KB and 32 levels. */
  @FreeForm(checkBatch)
  @ApiProperty({
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    minItems: 1,
    maxItems: 10_000,
    example: [{ total: 12.5 }, { total: 40 }],
  })
  rows!: Record<string, unknown>[];
}

export class CreatedDataRowsDto {
  /** The rows in the order of the request. */
  items!: DataRowDto[];
}

import { ApiProperty } from '@nestjs/swagger';
import { IsOptional, Length } from 'class-validator';
import { FreeForm } from '../../infra/requests/free-form.ts';
import { PageDto } from '../../infra/requests/page.dto.ts';
import { IsText } from '../../infra/requests/text.ts';
import { checkBatch } from './row-values.pipe.ts';
import { pageOf } from '../../infra/responses/page-of.ts';

export class DataRowQueryDto extends PageDto {
  /**
   * JSON with columns that must equal a value, or compare with one: `{"status":"paid","total":{"$gte":10}}`. Operators: `$gt`,
   * `$gte`, `$lt`, `$lte`, and, for texts, `$prefix`. Columns of type json cannot be filtered.
   */
  @IsOptional()
  @IsText()
  @Length(1, 4_000)
  filter?: string;

  /**
   * `createdAt` or a column, with `-` in front for descending order; default `-createdAt`. A list that is sorted by a column has
   * only the rows with a value in it. Texts are sorted by the code points of their first 100 characters. Columns of type json
   * cannot be sorted.
   */
  @IsOptional()
  @IsText()
  @Length(1, 100)
  sort?: string;
}

/** Beside these fields, a row has each declared column; null if it has no value for it. */
export class DataRowDto {
  id!: string;
  createdAt!: string;
  updatedAt!: string;
  [column: string]: unknown;
}

export class DataRowPageDto extends pageOf(DataRowDto) {}

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

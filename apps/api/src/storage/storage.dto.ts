import type { StorageKind } from '@platform/contracts';
import { ApiProperty } from '@nestjs/swagger';
import { Nullable } from '../infra/requests/nullable.ts';
import { IsInt, Max, Min, ValidateIf } from 'class-validator';

const MAX_BYTES = Number.MAX_SAFE_INTEGER;

class StorageTableDto {
  /** Null for what belongs to no application, or to one that is gone. */
  applicationIdentifier!: string | null;
  /** The name of the event or of the table. */
  name!: string;
  @ApiProperty({ type: 'integer' })
  count!: number;
  @ApiProperty({ type: 'integer' })
  bytes!: number;
}

class StorageUseDto {
  /** `EVENTS`: payloads of envelopes. `ROWS`: values of data rows. `KNOWLEDGE`: documents as they were uploaded. */
  kind!: StorageKind;
  @ApiProperty({ type: 'integer' })
  bytes!: number;
  @ApiProperty({ type: 'integer' })
  count!: number;
  /** Null: no limit. */
  @ApiProperty({ type: 'integer', nullable: true })
  quotaBytes!: number | null;
  /** Whether the kind can have a quota. */
  isLimitable!: boolean;
  /** What was stored later is not counted; about a minute ago for events. */
  measuredAt!: string;
  /** The 100 largest. */
  tables!: StorageTableDto[];
}

export class SpaceStorageDto {
  items!: StorageUseDto[];
}

export class StorageQuotasDto {
  /** The payloads of events; null: no limit. */
  @ApiProperty({ type: 'integer', nullable: true, example: 1_000_000_000 })
  @Nullable()
  @ValidateIf(({ eventBytes }: StorageQuotasDto) => eventBytes !== null)
  @IsInt()
  @Min(1)
  @Max(MAX_BYTES)
  eventBytes!: number | null;

  /** The values of data rows; null: no limit. */
  @ApiProperty({ type: 'integer', nullable: true, example: 500_000_000 })
  @Nullable()
  @ValidateIf(({ rowBytes }: StorageQuotasDto) => rowBytes !== null)
  @IsInt()
  @Min(1)
  @Max(MAX_BYTES)
  rowBytes!: number | null;
}

import { BULK_RUN_ACTIONS, type BulkRunActionKind } from '@platform/contracts';
import { ApiProperty, IntersectionType, OmitType } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsDefined,
  IsIn,
  IsObject,
  IsOptional,
  IsUUID,
  Matches,
  ValidateNested,
} from 'class-validator';
import { BulkPaceDto, BulkPreviewDto, BulkWorkDto } from '../../infra/bulk/bulk.dto.ts';
import { FAILURE_ID } from '../history/failure-groups.store.ts';
import { RunQueryDto } from '../history/runs.dto.ts';
import { pageOf } from '../../infra/responses/page-of.ts';

/** The filter of `GET /runs`. Runs that are created after the request are not selected. */
export class RunSelectDto extends OmitType(RunQueryDto, [
  'limit',
  'cursor',
  'failure',
  'dismissed',
] as const) {
  /** Only these runs, at most 1,000. */
  @IsOptional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(1000)
  @IsUUID('all', { each: true })
  ids?: string[];

  /** Only these groups of failures, at most 100. */
  @IsOptional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(100)
  @Matches(FAILURE_ID, { each: true, message: '$property must have ids of groups of failures' })
  failures?: string[];

  /** `false`: without failures that someone has dismissed. `true`: only those. */
  @IsOptional()
  @IsBoolean()
  dismissed?: boolean;
}

export class PreviewBulkRunActionDto {
  /**
   * `retry`: runs that are FAILED or INTERRUPTED; CANCELLED ones if `select.status` says so. `cancel`: runs that have not ended.
   * `dismiss`: runs that are FAILED or INTERRUPTED and were not dismissed.
   */
  @IsIn(BULK_RUN_ACTIONS)
  action!: BulkRunActionKind;

  @IsDefined()
  @IsObject()
  @ValidateNested()
  @Type(() => RunSelectDto)
  select!: RunSelectDto;
}

export class CreateBulkRunActionDto extends IntersectionType(PreviewBulkRunActionDto, BulkPaceDto) {}

export class BulkRunActionPreviewDto extends BulkPreviewDto {}

export class BulkRunActionDto extends BulkWorkDto {
  action!: BulkRunActionKind;
  select!: RunSelectDto;
  /** The user who requested it. It ends if that person leaves the space. */
  requestedBy!: string;
  /** How many runs were queued again, canceled, or dismissed. */
  @ApiProperty({ type: 'integer' })
  changed!: number;
}

export class BulkRunActionPageDto extends pageOf(BulkRunActionDto) {}

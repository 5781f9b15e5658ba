import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsInt, IsOptional, Max, Min } from 'class-validator';
import { ANY_JSON } from '../../infra/requests/any-json.ts';
import { WorkflowDto } from '../definition/tasks.dto.ts';
import { pageOf } from '../../infra/responses/page-of.ts';

class TaskVersionAuthorDto {
  id!: string;
  name!: string;
}

/** A version without its workflow. */
class TaskVersionListingDto {
  version!: number;
  /** Who stored the workflow; null if that is not known. */
  author!: TaskVersionAuthorDto | null;
  createdAt!: string;
}

export class TaskVersionDto extends TaskVersionListingDto {
  workflow!: WorkflowDto;
}

export class TaskVersionPageDto extends pageOf(TaskVersionListingDto) {}

export class TaskVersionDiffQueryDto {
  /** The version to compare with. Default: the current one. */
  @IsOptional()
  @Transform(
    ({ value }) => (typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value) as unknown,
  )
  @IsInt()
  @Min(1)
  @Max(999_999_999)
  to?: number;
}

class StepFieldChangeDto {
  /** @example source */
  field!: string;
  /** Absent if the earlier step, or the field in it, does not exist. Lists of steps are left out. */
  @ApiPropertyOptional({ anyOf: ANY_JSON })
  before?: unknown;
  /** Absent if the later step, or the field in it, does not exist. Lists of steps are left out. */
  @ApiPropertyOptional({ anyOf: ANY_JSON })
  after?: unknown;
}

class StepChangeDto {
  /** The id of the step: a step with another id is another step. */
  id!: string;
  change!: 'added' | 'removed' | 'changed' | 'moved';
  /** Whether a step that both versions have stands in another place, also if its fields changed. */
  isMoved!: boolean;
  /** The fields that differ, all of a step that was added or removed. */
  fields!: StepFieldChangeDto[];
}

export class TaskVersionDiffDto {
  from!: number;
  to!: number;
  /** Those that differ: first the steps that `to` has, in their order, then those that it lacks. */
  steps!: StepChangeDto[];
}

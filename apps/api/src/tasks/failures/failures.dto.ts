import { ApiProperty } from '@nestjs/swagger';
import { IsOptional, IsUUID, Length } from 'class-validator';
import { IsInstant } from '../../infra/requests/instant.ts';
import { IsText } from '../../infra/requests/text.ts';
import { SearchedRunsDto } from '../history/runs.dto.ts';

export class FailureQueryDto {
  @IsOptional()
  @IsUUID('all')
  taskId?: string;

  /** The user as whom the runs act. */
  @IsOptional()
  @IsUUID('all')
  ownerUserId?: string;

  /** The name of the event that started the runs, of whichever application. */
  @IsOptional()
  @IsText()
  @Length(1, 200)
  event?: string;

  /** Of the event that started the runs. */
  @IsOptional()
  @IsText()
  @Length(1, 200)
  applicationIdentifier?: string;

  /** Runs that were created at this time or later. */
  @IsOptional()
  @IsInstant()
  from?: string;

  /** Runs that were created before this time. */
  @IsOptional()
  @IsInstant()
  to?: string;
}

/** Runs of a task that failed at the same step, with the same code, and with the same message except for numbers and ids. */
export class FailureDto {
  /** What lists of runs and bulk actions select the group by. */
  @ApiProperty({ example: '9e107d9d372bb6826bd81d3542a419d6' })
  id!: string;
  taskId!: string;
  taskName!: string;
  /** Null if the runs failed outside of their steps. */
  stepId!: string | null;
  /** @example STEP_FAILED */
  code!: string;
  /** With `#` in place of numbers and ids; long ones are cut. */
  @ApiProperty({ example: 'Order # does not exist' })
  message!: string;
  @ApiProperty({ type: 'integer' })
  count!: number;
  /** When the first of these runs failed, of those that were looked at. */
  firstAt!: string;
  lastAt!: string;
  /** The newest of these runs. */
  runId!: string;
}

export class FailuresDto {
  /** Those with most runs first, at most 200. */
  items!: FailureDto[];
  /** Whether there are more groups. */
  isLimited!: boolean;
  /** The newest failures are looked at, 10,000 at most. */
  searched!: SearchedRunsDto;
}

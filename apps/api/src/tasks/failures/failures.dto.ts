import { ApiProperty, PickType } from '@nestjs/swagger';
import { RunQueryDto, SearchedRunsDto } from '../history/runs.dto.ts';

export class FailureQueryDto extends PickType(RunQueryDto, [
  'taskId',
  'ownerUserId',
  'event',
  'applicationIdentifier',
  'from',
  'to',
] as const) {}

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

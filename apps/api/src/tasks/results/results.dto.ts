import type { RunStatus } from '@platform/contracts';
import { ApiProperty } from '@nestjs/swagger';
import { IsString, MaxLength } from 'class-validator';
import { MAX_IDS } from '../../infra/requests/page.dto.ts';

export class ResultQueryDto {
  /** At most 200 ids of tasks, separated by commas. Those that the caller may not see are left out. */
  @IsString()
  @MaxLength(MAX_IDS * 64)
  taskIds!: string;
}

class TaskResultDto {
  /** Of the run. */
  id!: string;
  status!: RunStatus;
  createdAt!: string;
  /** How long the last attempt took; null if none has begun. */
  @ApiProperty({ type: 'integer', nullable: true })
  durationMs!: number | null;
}

class TaskResultsDto {
  taskId!: string;
  /** The latest 20 runs that have ended, newest first, without tests. Among many tests, older runs are not found. */
  results!: TaskResultDto[];
}

export class TaskResultListDto {
  /** Of the tasks that have any, in no particular order. */
  items!: TaskResultsDto[];
}

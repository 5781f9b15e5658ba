import type { ScheduledTimeOutcome } from '@platform/contracts';
import { ApiProperty } from '@nestjs/swagger';
import { pageOf } from '../../infra/responses/page-of.ts';

class ScheduledTimeDto {
  dueAt!: string;
  /** `STARTED`: a run. `JOINED`: a run that had not begun stands for the time as well. `SKIPPED`: an earlier run had not ended. */
  outcome!: ScheduledTimeOutcome;
  /** The run that was started or stands for the time; of a time that was skipped, the run that had not ended. */
  runId!: string;
  /** The earlier run whose end the run waits for; null if it does not. */
  waitsFor!: string | null;
  /** How many due times before it had passed without a run, such as while the service was down. */
  @ApiProperty({ type: 'integer' })
  missed!: number;
}

export class ScheduledTimePageDto extends pageOf(ScheduledTimeDto) {}

import { ApiPropertyOptional } from '@nestjs/swagger';
import { MAX_STEP_BACKOFF_MS, MAX_STEP_RETRIES } from './step-fields.ts';

class StepRetryDto {
  /** Further executions after one that failed. */
  @ApiPropertyOptional({ type: 'integer', minimum: 0, maximum: MAX_STEP_RETRIES })
  attempts!: number;
  /** Milliseconds before the first of them, doubled for each further one. Default: none. */
  @ApiPropertyOptional({ type: 'integer', minimum: 0, maximum: MAX_STEP_BACKOFF_MS })
  backoffMs?: number;
}

/** The fields of every step. The class of each kind is beside what runs it. */
export class StepSchema {
  /** Unique in the workflow: a letter or _ followed by at most 63 letters, digits, or _. */
  id!: string;
  /** For people, at most 200 characters. */
  name?: string;
  /**
   * A JavaScript expression over `inputs`, `trigger`, `steps`, `item`, and `index`. If it is falsy, the step is SKIPPED and its output
   * is null.
   */
  @ApiPropertyOptional({ example: 'trigger.payload.amount > 100' })
  when?: string;
  retry?: StepRetryDto;
  /** How long one execution may take: 100 ms to 24 h. Default: as long as the run. */
  @ApiPropertyOptional({ type: 'integer' })
  timeoutMs?: number;
  /**
   * `continue`: the run goes on if the step fails, with the output `{ error: { code, message } }`. The step stays FAILED. Default:
   * `fail`.
   */
  @ApiPropertyOptional({ enum: ['fail', 'continue'] })
  onError?: 'fail' | 'continue';
}

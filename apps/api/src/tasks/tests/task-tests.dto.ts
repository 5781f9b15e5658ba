import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsUUID } from 'class-validator';
import { FreeForm } from '../../infra/requests/free-form.ts';
import { BODY_LIMITS } from '../../infra/routes/body-limit.ts';
import { isObject } from '../../infra/runtime/json.ts';
import { formatProblem } from '../definition/problems.ts';
import { WorkflowDto } from '../definition/tasks.dto.ts';
import { checkWorkflow } from '../definition/workflow.ts';
import { checkRunInputs } from '../runs/run-inputs.ts';
import { TEST_EFFECTS, type TestEffects } from '../runs/run.entity.ts';
import { checkTestTrigger } from './test-trigger.ts';

const MAX_WORKFLOW_BYTES = BODY_LIMITS.standard.bytes;

class TestTriggerDto {
  /**
   * The name of the event.
   * @example order.paid
   */
  event!: string;
  /** At most 256 KB. */
  @ApiProperty({ type: 'object', additionalProperties: true })
  payload!: Record<string, unknown>;
}

function checkTested(value: unknown, path: string): string[] {
  if (value === undefined) return [];
  const problems = checkWorkflow(value, [path]).map(formatProblem);
  if (problems.length > 0 || !isObject(value)) return problems;
  return Buffer.byteLength(JSON.stringify(value)) > MAX_WORKFLOW_BYTES
    ? [`${path} must have at most ${MAX_WORKFLOW_BYTES} bytes`]
    : [];
}

export class TestTaskDto {
  /**
   * `none`: what has effects is not executed: methods of tools that act, writes of rows, agents; and nothing is waited for. `real`: it is.
   * Neither emits events, starts tasks, nor asks people. Default: `none`.
   */
  @IsOptional()
  @IsIn(TEST_EFFECTS)
  effects?: TestEffects;

  /** What the workflow reads as `{{trigger.…}}`: an event that is not recorded. Not together with `inputs`. */
  @ApiProperty({
    type: TestTriggerDto,
    required: false,
    example: { event: 'order.paid', payload: { total: 120 } },
  })
  @FreeForm(checkTestTrigger)
  trigger?: TestTriggerDto;

  /**
   * The id of an envelope: its event is what the workflow reads as `{{trigger.…}}`, and is neither recorded nor dispatched
   * again. Admins can take every envelope of the space, others those that have started a run of a task of theirs. Not
   * together with `trigger` or `inputs`.
   */
  @IsOptional()
  @IsUUID('loose')
  envelopeId?: string;

  /** What the workflow reads as `{{inputs.…}}`, as in POST /api/tasks/{id}/run. */
  @ApiPropertyOptional({ type: 'object', additionalProperties: true })
  @FreeForm(checkRunInputs)
  inputs?: Record<string, unknown>;

  /** A workflow that is not stored, checked like one that is. Default: that of the task. */
  @FreeForm(checkTested)
  @ApiProperty({ type: WorkflowDto, required: false })
  workflow?: WorkflowDto;
}

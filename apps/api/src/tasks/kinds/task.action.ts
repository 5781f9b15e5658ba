import { Injectable } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { EntityManager } from 'typeorm';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Database } from '../../infra/database/database.ts';
import type { Sql } from '../../infra/database/rows.ts';
import { AppError } from '../../infra/errors/app-error.ts';
import { uuidV7 } from '../../infra/runtime/uuid-v7.ts';
import type { Action, ActionContext } from '../definition/action.registry.ts';
import { checkName, checkValues, RunsSteps } from '../definition/step-kinds.ts';
import { StepSchema } from '../definition/step.schema.ts';
import { StepWait } from '../waits/step-wait.ts';
import { mayManage } from '../definition/task-access.ts';
import { getTask } from '../definition/tasks.store.ts';
import { extendToTask } from '../runs/lineage.ts';
import { RunCreationService } from '../runs/run-creation.service.ts';
import { RunEffectsService } from '../runs/run-effects.service.ts';
import { checkRunInputs } from '../runs/run-inputs.ts';
import { findLineage } from '../runs/runs.store.ts';
import { StepError } from '../runs/step-error.ts';

class TaskStepDto extends StepSchema {
  @ApiProperty({ enum: ['task'] })
  kind!: 'task';
  taskId!: string;
  /** What the other workflow reads as `{{inputs.…}}`. May contain templates. */
  @ApiProperty({ type: 'object', additionalProperties: true })
  inputs!: Record<string, unknown>;
  /** Whether the step ends when the other run has ended, and fails unless that has succeeded. Default: true. */
  @ApiPropertyOptional({ type: 'boolean' })
  wait?: boolean;
}

function checkInputs(value: unknown): string | null {
  return checkValues(value) ?? checkRunInputs(value, 'inputs')[0] ?? null;
}

const NO_RUN = '00000000-0000-0000-0000-000000000000';

/** Starts a run of another task that the owner of this one manages. It acts as the owner of the other task. */
@Injectable()
@RunsSteps<TaskStepDto>({
  kind: 'task',
  schema: TaskStepDto,
  fields: {
    taskId: checkName,
    inputs: checkInputs,
    wait: (value) =>
      value === undefined || value === null || typeof value === 'boolean' ? null : 'must be true or false',
  },
  input: 'inputs',
  acts: false,
  hasEffects: () => true,
  simulated: 'always',
  output: ['runId', 'status', 'output'],
})
export class TaskAction implements Action<TaskStepDto> {
  constructor(
    private readonly database: Database,
    private readonly creation: RunCreationService,
    private readonly effects: RunEffectsService,
  ) {}

  async validate(
    sql: Sql,
    { spaceId, owner }: { spaceId: string; owner: UserPrincipal },
    { taskId }: TaskStepDto,
    path: string,
  ): Promise<string[]> {
    try {
      const task = await getTask(sql as EntityManager, spaceId, taskId);
      if (mayManage(owner, task)) return [];
    } catch (error) {
      if (!(error instanceof AppError) || (error.code !== 'NOT_FOUND' && error.code !== 'FORBIDDEN'))
        throw error;
    }
    return [`${path}.taskId must name a task that the owner of the task manages`];
  }

  example(_spaceId: string, { wait }: TaskStepDto): object {
    const started = { runId: NO_RUN };
    return wait === false ? started : { ...started, status: 'SUCCEEDED', output: null };
  }

  async run({ spaceId, owner, runId, effectKey, step }: ActionContext<TaskStepDto>): Promise<unknown> {
    const { taskId, inputs } = step;
    const childRunId = uuidV7();
    const create = async (tx: EntityManager): Promise<void> => {
      const task = await getTask(tx, spaceId, taskId);
      if (!mayManage(owner, task))
        throw new StepError('FORBIDDEN', `The owner of the task does not manage task ${taskId}`);
      const chain = extendToTask(await findLineage(tx, spaceId, runId), taskId);
      const { ownerUserId } = task;
      const run = { id: childRunId, spaceId, taskId, ownerUserId, origin: 'MANUAL', inputs, chain } as const;
      await this.creation.createManualRun(tx, run);
    };
    if (step.wait !== false) {
      const request = { kind: 'RUN', childRunId, for: 'PT1M' } as const;
      // Whoever looks at the queue finds the run.
      return new StepWait(request, { store: create });
    }
    const started = await this.database.transaction(async (tx) => {
      const result = { runId: childRunId };
      if (!(await this.effects.record(tx, { runId, effectKey }, result)))
        return (await this.effects.find(tx, { runId, effectKey })) ?? result;
      await create(tx);
      return result;
    });
    await this.creation.publish([childRunId]);
    return started;
  }
}

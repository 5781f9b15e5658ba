import { Injectable } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { EntityManager } from 'typeorm';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Database } from '../../infra/database/database.ts';
import type { Sql } from '../../infra/database/rows.ts';
import { AppError } from '../../infra/errors/app-error.ts';
import { hashJson } from '../../infra/runtime/json.ts';
import { uuidV7 } from '../../infra/runtime/uuid-v7.ts';
import type { Action, ActionContext } from '../definition/action.registry.ts';
import { checkName, checkValues, RunsSteps } from '../definition/step-kinds.ts';
import { StepSchema } from '../definition/step.schema.ts';
import { StepWait } from '../waits/step-wait.ts';
import { mayManage } from '../definition/task-access.ts';
import type { TaskEntity } from '../definition/task.entity.ts';
import { getTask } from '../definition/tasks.store.ts';
import { refuseRetry } from '../history/retries.ts';
import { RunsService } from '../history/runs.service.ts';
import { extendToTask } from '../runs/lineage.ts';
import { RunCreationService } from '../runs/run-creation.service.ts';
import { RunEffectsService, type RunEffect } from '../runs/run-effects.service.ts';
import { checkRunInputs } from '../runs/run-inputs.ts';
import { findLineage, findRun, type RunRow } from '../runs/runs.store.ts';
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

/**
 * Starts a run of another task that the owner of this one manages. It acts as the owner of the other task. The step starts one run:
 * executed again, it goes on with it, unless the inputs are others.
 */
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
    private readonly runs: RunsService,
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

  async run(context: ActionContext<TaskStepDto>): Promise<unknown> {
    const { runId, startKey: effectKey } = context;
    const effect = { runId, effectKey };
    return context.step.wait === false ? this.start(context, effect) : this.startAndWait(context, effect);
  }

  private async start(context: ActionContext<TaskStepDto>, effect: RunEffect): Promise<object> {
    const started = { runId: uuidV7() };
    const result = await this.database.transaction(async (tx) => {
      if (!(await this.effects.record(tx, effect, started)))
        return (await this.effects.find(tx, effect)) ?? started;
      await this.create(tx, context, started.runId);
      return started;
    });
    await this.creation.publish([started.runId]);
    return result;
  }

  private async startAndWait(
    context: ActionContext<TaskStepDto>,
    effect: RunEffect,
  ): Promise<StepWait | object> {
    const before = await this.findStarted(context, effect);
    if (before !== null) {
      // Looked at as soon as it is stored: it may have ended.
      const request = {
        kind: 'RUN',
        childRunId: before.id,
        for: 'PT0S',
        // One that is still being canceled cannot be retried before its end.
        repeats: before.cancelRequested && before.finishedAt === null,
      } as const;
      return new StepWait(request, {
        store: (tx) => this.goOn(tx, context, before),
        stored: () => this.creation.publish([before.id]),
      });
    }
    const started = { runId: uuidV7() };
    const store = async (tx: EntityManager): Promise<void> => {
      await this.effects.replace(tx, effect, started);
      await this.create(tx, context, started.runId);
    };
    const stored = () => this.creation.publish([started.runId]);
    return new StepWait({ kind: 'RUN', childRunId: started.runId, for: 'PT1M' }, { store, stored });
  }

  /** Returns the run that the step has started with the same inputs; null if there is none. */
  private async findStarted(
    { spaceId, step }: ActionContext<TaskStepDto>,
    effect: RunEffect,
  ): Promise<RunRow | null> {
    const found = (await this.effects.find(this.database.manager, effect)) as { runId: string } | null;
    const run = found && (await findRun(this.database, spaceId, found.runId));
    const isSame = run?.taskId === step.taskId && hashJson(run.inputs).equals(hashJson(step.inputs));
    return isSame ? run : null;
  }

  /** Has a run attempted again that has not succeeded; waits for any other. */
  private async goOn(tx: EntityManager, context: ActionContext<TaskStepDto>, run: RunRow): Promise<void> {
    if (refuseRetry(run) !== null) return;
    await this.assertManaged(tx, context);
    if (!(await this.runs.retryWithin(tx, context.owner, run))) return;
    await this.runs.countAgain(tx, context.spaceId, [run.id]);
  }

  private async create(tx: EntityManager, context: ActionContext<TaskStepDto>, id: string): Promise<void> {
    const { spaceId, runId, step } = context;
    const { taskId, inputs } = step;
    const { ownerUserId } = await this.assertManaged(tx, context);
    const chain = extendToTask(await findLineage(tx, spaceId, runId), taskId);
    await this.creation.createManualRun(tx, {
      id,
      spaceId,
      taskId,
      ownerUserId,
      origin: 'MANUAL',
      inputs,
      chain,
    });
  }

  private async assertManaged(
    tx: EntityManager,
    { spaceId, owner, step: { taskId } }: ActionContext<TaskStepDto>,
  ): Promise<TaskEntity> {
    const task = await getTask(tx, spaceId, taskId);
    if (!mayManage(owner, task))
      throw new StepError('FORBIDDEN', `The owner of the task does not manage task ${taskId}`);
    return task;
  }
}

import { Injectable } from '@nestjs/common';
import type { Run, TestTaskRequest, Workflow } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { recordAudit } from '../../auth/audit/audit.ts';
import type { AuditedCall } from '../../auth/principals/caller.decorator.ts';
import { Database } from '../../infra/database/database.ts';
import { readTime } from '../../infra/database/rows.ts';
import { invalid, invalidFor } from '../../infra/errors/app-error.ts';
import { formatProblem } from '../definition/problems.ts';
import { assertChangeable, assertManaged } from '../definition/task-access.ts';
import { TaskDirectoryService } from '../definition/task-directory.service.ts';
import { TaskReferencesService } from '../definition/task-references.service.ts';
import type { TaskEntity } from '../definition/task.entity.ts';
import { getTask, lockTask } from '../definition/tasks.store.ts';
import { checkTypeTemplates } from '../definition/workflow.ts';
import { RunEventsRegistry } from '../history/run-events.registry.ts';
import { RunRecordsService } from '../history/run-records.service.ts';
import { extendToTask } from '../runs/lineage.ts';
import { RunCreationService } from '../runs/run-creation.service.ts';
import { findLineage, findRun } from '../runs/runs.store.ts';
import { markAsTest, startDespiteDisabled } from '../runs/task-runs.store.ts';
import { makeTrigger } from './test-trigger.ts';

/** Starts runs that test tasks. */
@Injectable()
export class TaskTestsService {
  constructor(
    private readonly database: Database,
    private readonly references: TaskReferencesService,
    private readonly directory: TaskDirectoryService,
    private readonly creation: RunCreationService,
    private readonly records: RunRecordsService,
    private readonly events: RunEventsRegistry,
  ) {}

  /** Whoever may edit the task may test it. Throws what storing the workflow would throw. */
  async start(call: AuditedCall, taskId: string, request: TestTaskRequest): Promise<Run> {
    const { trigger, inputs, workflow } = request;
    const effects = request.effects ?? 'none';
    const envelopeId = request.envelopeId ?? null;
    if (trigger && inputs) throw invalid('inputs must not be given together with trigger');
    if (envelopeId !== null && (trigger ?? inputs))
      throw invalid('envelopeId must not be given together with trigger or inputs');
    const { by, requestId } = call;
    const { spaceId, causationRunId } = by;
    const seen = assertManaged(by, await getTask(this.database.manager, spaceId, taskId));
    if (workflow) await this.references.assertWorkflow(by, seen, workflow);
    const recorded = envelopeId === null ? null : await this.events.getTrigger(by, envelopeId);
    const create = async (tx: EntityManager) => {
      const task = assertManaged(by, await lockTask(tx, spaceId, taskId));
      assertChangeable(by, task, workflow ? ['workflow'] : []);
      if (workflow) await this.assertFits(tx, task, workflow);
      const cause = causationRunId === null ? null : await findLineage(tx, spaceId, causationRunId);
      const chain = extendToTask(cause, taskId);
      const { ownerUserId, name } = task;
      const run = { spaceId, taskId, ownerUserId, origin: 'MANUAL', inputs: inputs ?? {}, chain } as const;
      const id = await this.creation.createManualRun(tx, run);
      await markAsTest(tx, id, {
        effects,
        trigger: recorded ?? (trigger ? makeTrigger(trigger, by, await readTime(tx)) : null),
        envelopeId,
        workflow: workflow ?? null,
      });
      if (!task.enabled) await startDespiteDisabled(tx, id);
      const details = {
        name,
        taskId,
        effects,
        ...(envelopeId !== null && { envelopeId }),
        change: workflow ? 'With a workflow that is not stored.' : 'As stored.',
      };
      await recordAudit(tx, by, { action: 'run.test', targetType: 'run', targetId: id, details, requestId });
      return id;
    };
    const committed = async (id: string) => (await findRun(this.database, spaceId, id)) !== null;
    const id = await this.database.transaction(create, { committed });
    await this.creation.publish([id]);
    return this.records.describe(await this.records.get(by, id));
  }

  private async assertFits(tx: EntityManager, task: TaskEntity, workflow: Workflow): Promise<void> {
    const { type } = task;
    const problems = checkTypeTemplates(workflow, type, ['workflow']);
    if (problems.length > 0) throw invalidFor(problems.map(formatProblem));
    await this.directory.assertChange(tx, task, { type, workflow });
  }
}

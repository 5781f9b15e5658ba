import { Injectable } from '@nestjs/common';
import type {
  AuditAction,
  PlannedStep,
  RetryPreview,
  RetryRunRequest,
  Run,
  RunStatus,
  Step,
} from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { recordAudit } from '../../auth/audit/audit.ts';
import type { AuditedCall } from '../../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Database } from '../../infra/database/database.ts';
import { conflict } from '../../infra/errors/app-error.ts';
import { hashJson } from '../../infra/runtime/json.ts';
import { uuidV7 } from '../../infra/runtime/uuid-v7.ts';
import { takeStartKey } from '../keys/run-start-keys.store.ts';
import { extendToTask } from '../runs/lineage.ts';
import { RunCreationService } from '../runs/run-creation.service.ts';
import { RunLeasesWorker } from '../execution/run-leases.worker.ts';
import { RunEventsRegistry, type StartedRun } from './run-events.registry.ts';
import { planRetry, refuseRetry, type RetryFacts, type RetryPlan } from './retries.ts';
import { RunRecordsService } from './run-records.service.ts';
import { findLineage, findRun, type RunRow } from '../runs/runs.store.ts';
import { clearDismissal, startDespiteDisabled } from '../runs/task-runs.store.ts';
import { cancelRuns } from '../waits/cancellations.store.ts';
import { assertManaged } from '../definition/task-access.ts';
import { ActionRegistry } from '../definition/action.registry.ts';
import type { TaskEntity } from '../definition/task.entity.ts';
import { getSharedTask } from '../definition/tasks.store.ts';
import { getVersion } from '../versions/task-versions.store.ts';
import { listExecuted, supersedeSteps } from './run-steps.store.ts';

type RetriedRun = Pick<RunRow, 'id' | 'taskId' | 'attempt' | 'taskVersion'>;

const UNFINISHED: readonly RunStatus[] = ['QUEUED', 'RUNNING', 'WAITING'];

/** Starts, cancels, and retries runs for people. */
@Injectable()
export class RunsService {
  constructor(
    private readonly database: Database,
    private readonly creation: RunCreationService,
    private readonly records: RunRecordsService,
    private readonly leases: RunLeasesWorker,
    private readonly events: RunEventsRegistry,
    private readonly actions: ActionRegistry,
  ) {}

  /**
   * Starts a run by hand, also of a task that is disabled. It acts as the owner of the task. Throws CONFLICT if the call is
   * of a run in whose chain the task is already. The same `key` of the same person starts one run of the task; with other
   * inputs, it throws CONFLICT.
   */
  async start(
    call: AuditedCall,
    taskId: string,
    inputs: Record<string, unknown>,
    key: string | null = null,
  ): Promise<Run> {
    const { by: caller } = call;
    const { spaceId, causationRunId } = caller;
    const create = async (tx: EntityManager) => {
      const { ownerUserId, enabled, name } = assertManaged(caller, await getSharedTask(tx, spaceId, taskId));
      const origin = 'MANUAL';
      const cause = causationRunId === null ? null : await findLineage(tx, spaceId, causationRunId);
      // A loop through a tool that starts tasks is still one.
      const chain = extendToTask(cause, taskId);
      const id = uuidV7();
      const known = key === null ? null : await findStarted(tx, caller, { id, taskId, inputs, key });
      if (known !== null) return known;
      await this.creation.createManualRun(tx, { id, spaceId, taskId, ownerUserId, origin, inputs, chain });
      if (!enabled) await startDespiteDisabled(tx, id);
      await auditRun(tx, call, 'run.start', { id, taskId, taskName: name });
      return id;
    };
    const committed = async (id: string) => (await findRun(this.database, spaceId, id)) !== null;
    const id = await this.database.transaction(create, { committed });
    await this.creation.publish([id]);
    return this.get(caller, id);
  }

  async get(caller: UserPrincipal, id: string): Promise<Run> {
    return this.records.describe(await this.records.get(caller, id));
  }

  /**
   * Cancels at once a run that is queued or waits, and requests it of a running one. Runs for which it waits are canceled as well.
   * Does nothing to a run that has ended.
   */
  async cancel(call: AuditedCall, id: string): Promise<Run> {
    const { by: caller } = call;
    const request = async (tx: EntityManager, run: RunRow) => {
      const outcome = await this.cancelWithin(tx, id);
      if (outcome === null) return false;
      const isCancelled = outcome === 'CANCELLED';
      const change = isCancelled ? 'Canceled before it started.' : 'Requested while it was running.';
      if (isCancelled || !run.cancelRequested) await auditRun(tx, call, 'run.cancel', run, { change });
      return true;
    };
    let run = await this.records.get(caller, id);
    while (UNFINISHED.includes(run.status)) {
      const seen = run;
      if (await this.database.transaction((tx) => request(tx, seen))) {
        this.leases.cancel(id);
        break;
      }
      // It has changed in between.
      run = await this.records.get(caller, id);
    }
    return this.get(caller, id);
  }

  /**
   * Cancels a run that waits, or requests it of one that executes. Null: it has ended, or has changed in between. After the
   * commit, the caller tells `RunLeasesWorker`.
   */
  async cancelWithin(tx: EntityManager, id: string): Promise<'CANCELLED' | 'REQUESTED' | null> {
    const { cancelled, requested } = await cancelRuns(tx, [id]);
    if (cancelled.includes(id)) return 'CANCELLED';
    return requested.includes(id) ? 'REQUESTED' : null;
  }

  /** Adds an attempt to a run that failed, was cancelled, or was interrupted. */
  async retry(call: AuditedCall, id: string, request: RetryRunRequest): Promise<Run> {
    const { by: caller } = call;
    const run = await this.records.get(caller, id);
    const refusal = refuseRetry(run);
    if (refusal !== null) throw refusal;
    const { attempt } = run;
    const queue = async (tx: EntityManager) => {
      if (!(await this.retryWithin(tx, caller, run, request))) return false;
      await auditRun(tx, call, 'run.retry', run, { change: `Attempt ${attempt + 1}.` });
      await this.countAgain(tx, caller.spaceId, [id]);
      return true;
    };
    const committed = async () => (await this.records.get(caller, id)).attempt > attempt;
    const isQueued = await this.database.transaction(queue, { committed });
    if (!isQueued) {
      const refusal = refuseRetry(await this.records.get(caller, id));
      throw refusal ?? conflict(`Run ${id} was attempted again meanwhile`);
    }
    await this.creation.publish([id]);
    return this.get(caller, id);
  }

  /**
   * Queues a run for its next attempt, unless it waits, executes, has succeeded, or was attempted again since it was read.
   * After the commit, the caller publishes it. It goes on with the current version of its task, or the wanted one. Throws NOT_FOUND if
   * its task is gone, FORBIDDEN unless the caller manages it, as whose owner the run acts, and CONFLICT if what it has done does not
   * fit the version.
   */
  async retryWithin(
    tx: EntityManager,
    caller: UserPrincipal,
    run: RetriedRun,
    request: RetryRunRequest = {},
  ): Promise<boolean> {
    const { id, taskId, attempt, taskVersion } = run;
    // The owner of the run may have lost the task.
    const current = assertManaged(caller, await getSharedTask(tx, caller.spaceId, taskId));
    const { enabled, version } = current;
    const { from = null } = request;
    // What a run has executed does not change between its end and its next attempt.
    const isPlain =
      from === null && (taskVersion ?? version) === version && (request.version ?? version) === version;
    const planned = isPlain ? version : planRetry(await this.findFacts(tx, run, current), request).version;
    if (from !== null && !(await supersedeSteps(tx, id, attempt, from))) return false;
    // What was checked is what it goes on with. A run that never began takes the version of its beginning.
    const isQueued = await this.creation.retry(tx, id, attempt, taskVersion === null ? null : planned);
    if (!isQueued) return false;
    if (!enabled) await startDespiteDisabled(tx, id);
    await clearDismissal(tx, id);
    return true;
  }

  /** What `retry` would do, without doing it. Throws the same. */
  async previewRetry(caller: UserPrincipal, id: string, request: RetryRunRequest): Promise<RetryPreview> {
    const run = await this.records.get(caller, id);
    const refusal = refuseRetry(run);
    if (refusal !== null) throw refusal;
    const { spaceId } = caller;
    const plan = await this.database.transaction(async (tx) => {
      const current = assertManaged(caller, await getSharedTask(tx, spaceId, run.taskId));
      return planRetry(await this.findFacts(tx, run, current), request);
    });
    return this.describePlan(spaceId, plan);
  }

  private async findFacts(
    tx: EntityManager,
    { id, taskId, taskVersion }: RetriedRun,
    { version, workflow }: Pick<TaskEntity, 'version' | 'workflow'>,
  ): Promise<RetryFacts> {
    const isOlder = taskVersion !== null && taskVersion !== version;
    return {
      runId: id,
      executed: await listExecuted(tx, id),
      current: { version, workflow },
      begun: isOlder ? await getVersion(tx, taskId, taskVersion) : null,
    };
  }

  private async describePlan(spaceId: string, { version, repeated, kept }: RetryPlan): Promise<RetryPreview> {
    const effects = new Map<Step, boolean>();
    for (const { step } of [...repeated, ...kept])
      if (!effects.has(step)) effects.set(step, (await this.actions.findEffects(spaceId, step)).hasEffects);
    const describe = ({ executed: { scope, acts }, step }: RetryPlan['kept'][number]): PlannedStep => ({
      id: step.id,
      scope,
      kind: step.kind,
      name: step.name ?? null,
      hasEffects: acts || (effects.get(step) ?? false),
    });
    return { version, repeated: repeated.map(describe), kept: kept.map(describe) };
  }

  /** Has runs counted again that are attempted again. Comes last in the transaction: it locks counts. */
  async countAgain(tx: EntityManager, spaceId: string, ids: readonly string[]): Promise<void> {
    const started: StartedRun[] = [];
    for (const id of ids) {
      const lineage = await findLineage(tx, spaceId, id);
      const event = lineage?.envelopeId ? lineage.path?.at(-1) : undefined;
      if (event !== undefined) started.push({ id, event });
    }
    await this.events.countAgain(tx, spaceId, started);
  }
}

/** Returns the run that the key has started before; null: it starts the run `id` now. */
async function findStarted(
  tx: EntityManager,
  { userId }: UserPrincipal,
  start: { id: string; taskId: string; inputs: Record<string, unknown>; key: string },
): Promise<string | null> {
  const { id: runId, taskId, inputs, key } = start;
  const inputsHash = hashJson(inputs);
  const keyHash = hashJson(key);
  const known = await takeStartKey(tx, { taskId, userId, keyHash, inputsHash, runId });
  if (known !== null && !known.inputsHash.equals(inputsHash))
    throw conflict('The idempotency key was already used with other inputs');
  return known?.runId ?? null;
}

/** Records what a person does to a run; `causationRunId` is the run whose call did it for them. */
async function auditRun(
  tx: EntityManager,
  { by, requestId }: AuditedCall,
  action: AuditAction,
  { id, taskId, taskName: name }: Pick<RunRow, 'id' | 'taskId' | 'taskName'>,
  more: Record<string, unknown> = {},
): Promise<void> {
  const { causationRunId } = by;
  const details = { name, taskId, ...(causationRunId && { causationRunId }), ...more };
  await recordAudit(tx, by, { action, targetType: 'run', targetId: id, details, requestId });
}

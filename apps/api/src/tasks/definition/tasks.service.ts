import { Injectable } from '@nestjs/common';
import type {
  AuditAction,
  CancelledRuns,
  CreateTaskRequest,
  Page,
  SchedulePreview,
  Task,
  TaskSchedule,
  UpdateTaskRequest,
} from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { ApplicationIdentitiesService } from '../../auth/applications/application-identities.service.ts';
import { recordAudit } from '../../auth/audit/audit.ts';
import type { AuditedCall } from '../../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Database } from '../../infra/database/database.ts';
import { readTime } from '../../infra/database/rows.ts';
import { conflict, invalid, invalidFor } from '../../infra/errors/app-error.ts';
import { Cursors } from '../../infra/requests/cursors.ts';
import { parseInstant } from '../../infra/requests/instant.ts';
import { positionIn, readPart } from '../../infra/requests/named-lists.ts';
import { TaskRunsService } from '../runs/task-runs.service.ts';
import { holdRuns } from '../runs/task-runs.store.ts';
import { formatProblem } from './problems.ts';
import { keptDueTime, listDueTimes, nextDueTime } from './schedule.ts';
import { assertChangeable, assertManaged } from './task-access.ts';
import {
  changeDefinition,
  checkTypeKey,
  describeChange,
  givenChange,
  newDefinition,
  scheduleProblem,
  type TaskDefinition,
} from './task-definition.ts';
import { TaskDirectoryService } from './task-directory.service.ts';
import { TaskReferencesService } from './task-references.service.ts';
import { toTask } from './task-responses.ts';
import { TaskEntity } from './task.entity.ts';
import type { CancelTaskRunsDto, TaskQueryDto } from './tasks.dto.ts';
import { checkTypeTemplates, listSteps } from './workflow.ts';
import {
  deleteTask,
  getTask,
  giveTask,
  insertTask,
  listTasks,
  lockTask,
  TASK_LIST,
  updateTask,
} from './tasks.store.ts';

const PREVIEWED_TIMES = 5;
/** Manages tasks. */
@Injectable()
export class TasksService {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly applications: ApplicationIdentitiesService,
    private readonly directory: TaskDirectoryService,
    private readonly references: TaskReferencesService,
    private readonly runs: TaskRunsService,
  ) {}

  async list(caller: UserPrincipal, query: TaskQueryDto): Promise<Page<Task>> {
    const { spaceId, userId } = caller;
    const { type = null, applicationIdentifier: identifier = null } = query;
    const ownerUserId = caller.role === 'ADMIN' ? null : userId;
    const filter = { tasksOf: spaceId, ownerUserId, type, ...(identifier !== null && { identifier }) };
    const part = readPart(query, filter, this.cursors);
    const application =
      identifier === null ? null : await this.applications.find(this.database, spaceId, identifier);
    if (identifier !== null && application === null) return { items: [], nextCursor: null };
    const applicationId = application?.id ?? null;
    const { manager } = this.database;
    const { rows, size } = await listTasks(manager, { spaceId, ownerUserId, type, applicationId }, part);
    const identifiers = await this.identifiersOf(spaceId, rows);
    return this.cursors.page(
      rows,
      size,
      part.filter,
      (task) => positionIn(TASK_LIST, part, task),
      (task) => toTask(task, identifiers),
    );
  }

  async create(call: AuditedCall, request: CreateTaskRequest): Promise<Task> {
    const { spaceId, userId: ownerUserId } = call.by;
    const definition = newDefinition(request);
    assertScheduleFits(definition);
    assertTemplatesFit(definition);
    await this.references.assertWorkflow(call.by, { spaceId, ownerUserId }, definition.workflow);
    const enabled = request.enabled ?? true;
    const insert = async (tx: EntityManager) => {
      const nextDueAt = await computeNextDue(tx, null, { ...definition, enabled });
      const task = await insertTask(tx, {
        ...definition,
        spaceId,
        ownerUserId,
        enabled,
        nextDueAt,
        changedBy: ownerUserId,
      });
      const { type, workflow } = definition;
      await auditTask(tx, call, 'task.create', task, {
        type,
        steps: listSteps(workflow).map(({ step }) => step.id),
      });
      return task;
    };
    // A client that repeats the request because of an error would have a second task that is due at the same times.
    const committed = ({ id }: TaskEntity) => this.database.manager.existsBy(TaskEntity, { spaceId, id });
    return toTask(await this.database.transaction(insert, { committed }), new Map());
  }

  async get(caller: UserPrincipal, id: string): Promise<Task> {
    return this.toTask(assertManaged(caller, await getTask(this.database.manager, caller.spaceId, id)));
  }

  /** `details`: what the audit log says besides. */
  async update(
    call: AuditedCall,
    id: string,
    request: UpdateTaskRequest,
    details: Record<string, unknown> = {},
  ): Promise<Task> {
    const { updatedAt, ...change } = givenChange(request);
    const seen = assertManaged(call.by, await getTask(this.database.manager, call.by.spaceId, id));
    const { workflow } = change;
    if (workflow !== undefined) await this.references.assertWorkflow(call.by, seen, workflow);
    const { spaceId } = call.by;
    const isDisabling = change.enabled === false;
    if (change.runs !== undefined && !isDisabling)
      throw invalid('runs must be given with enabled: false only');
    const work = async (tx: EntityManager) => {
      const current = assertManaged(call.by, await lockTask(tx, spaceId, id));
      assertUnchanged(current, updatedAt);
      assertChangeable(call.by, current, Object.keys(change));
      if (isDisabling) await this.directory.waitForReaders(tx, spaceId);
      return this.change(tx, call, current, change, details);
    };
    // Those who wait for the locks of a space must not use up the connections.
    const task = await this.database.transaction(work, isDisabling ? { lane: `tasks ${spaceId}` } : {});
    if (change.runs === 'CANCEL' || change.runs === 'CANCEL_QUEUED')
      await this.runs.cancel(id, change.runs === 'CANCEL' ? null : 'QUEUED');
    // A claim may have skipped the task while it was locked.
    await this.runs.publishReady(id);
    return this.toTask(task);
  }

  /**
   * Gives a task to a person. Its runs act as that person from then on, also those that wait. A task that was disabled because
   * its owner left is enabled.
   */
  async changeOwner(call: AuditedCall, id: string, ownerUserId: string): Promise<Task> {
    const { by, requestId } = call;
    const { spaceId } = by;
    const seen = await getTask(this.database.manager, spaceId, id);
    await this.references.assertNewOwner(by, seen, ownerUserId);
    const task = await this.database.transaction(async (tx) => {
      const current = await lockTask(tx, spaceId, id);
      assertChangeable(by, current, []);
      // What was checked may have changed.
      if (current.updatedAt.getTime() !== seen.updatedAt.getTime())
        throw conflict(`Task ${id} has just been changed; try again`);
      await this.references.assertOwner(tx, { spaceId, ownerUserId });
      const details = { name: current.name, from: current.ownerUserId, to: ownerUserId };
      const entry = { action: 'task.change-owner' as const, targetType: 'task', targetId: id };
      await recordAudit(tx, by, { ...entry, details, requestId });
      return giveTask(tx, current, ownerUserId);
    });
    await this.runs.publishReady(id);
    return this.toTask(task);
  }

  /** Cancels the runs of a task that wait or execute; with a status, only those. */
  async cancelRuns(
    call: AuditedCall,
    id: string,
    status: CancelTaskRunsDto['status'],
  ): Promise<CancelledRuns> {
    const task = assertManaged(call.by, await getTask(this.database.manager, call.by.spaceId, id));
    const result = await this.runs.cancel(id, status ?? null);
    const details = { status: status ?? null, ...result };
    await auditTask(this.database.manager, call, 'task.cancel-runs', task, details);
    return result;
  }

  async delete(call: AuditedCall, id: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      const task = assertManaged(call.by, await lockTask(tx, call.by.spaceId, id));
      if (task.applicationId !== null) {
        throw conflict(
          `Task ${id} belongs to an application: uninstall the application, or disable the task`,
        );
      }
      await this.directory.assertChange(tx, task, { deleted: true });
      await deleteTask(tx, task);
      await auditTask(tx, call, 'task.delete', task);
    });
    while ((await this.runs.cancel(id, null)).isAnyLeft);
  }

  async previewSchedule({ cron, timezone }: TaskSchedule): Promise<SchedulePreview> {
    const now = await readTime(this.database);
    const times = listDueTimes({ cron, timezone }, now, PREVIEWED_TIMES);
    return { dueAt: times.map((time) => time.toISOString()) };
  }

  /** Changes a task that the transaction has locked. */
  private async change(
    tx: EntityManager,
    call: AuditedCall,
    current: TaskEntity,
    change: UpdateTaskRequest,
    details: Record<string, unknown>,
  ): Promise<TaskEntity> {
    const definition = changeDefinition(current, change);
    assertScheduleFits(definition);
    if (['workflow', 'type', 'concurrencyKey'].some((field) => field in change))
      assertTemplatesFit(definition);
    if (definition.type !== current.type || change.workflow !== undefined) {
      const { type, workflow } = definition;
      await this.directory.assertChange(tx, current, { type, workflow });
    }
    const enabled = change.enabled ?? current.enabled;
    if (enabled && !current.enabled) await this.references.assertOwner(tx, current);
    if (!enabled && current.enabled) {
      await holdRuns(tx, current.id);
      await this.directory.tellDisabled(tx, current);
    }
    const disabledReason = enabled ? null : current.disabledReason;
    const isRescheduled = enabled !== current.enabled || definition.schedule !== current.schedule;
    const nextDueAt = isRescheduled
      ? await computeNextDue(tx, current, { ...definition, enabled })
      : current.nextDueAt;
    const switched = { enabled: { before: current.enabled, after: enabled }, runs: change.runs };
    await auditTask(tx, call, 'task.update', current, {
      fields: Object.keys(change),
      change: describeChange(current, definition, switched),
      ...details,
    });
    const changedBy = call.by.userId;
    return updateTask(tx, current, { ...definition, enabled, disabledReason, nextDueAt, changedBy });
  }

  private async toTask(task: TaskEntity): Promise<Task> {
    return toTask(task, await this.identifiersOf(task.spaceId, [task]));
  }

  private identifiersOf(spaceId: string, tasks: readonly TaskEntity[]): Promise<Map<string, string>> {
    const ids = new Set(tasks.flatMap(({ applicationId }) => applicationId ?? []));
    return this.applications.names(this.database, spaceId, [...ids]);
  }
}

function assertUnchanged({ id, updatedAt }: TaskEntity, base: string | undefined): void {
  if (base !== undefined && parseInstant(base)?.getTime() !== updatedAt.getTime())
    throw conflict(
      `Task ${id} was changed at ${updatedAt.toISOString()}; the change was made to an earlier state`,
    );
}

function assertScheduleFits(definition: TaskDefinition): void {
  const problem = scheduleProblem(definition);
  if (problem !== null) throw invalid(`schedule ${problem}`);
}

/** Throws VALIDATION_ERROR for templates that no run of the task can resolve. */
function assertTemplatesFit({ workflow, type, concurrencyKey }: TaskDefinition): void {
  const problems = [
    ...checkTypeTemplates(workflow, type, ['workflow']),
    ...checkTypeKey(concurrencyKey, type, ['concurrencyKey']),
  ];
  if (problems.length > 0) throw invalidFor(problems.map(formatProblem));
}

/** When a task is due next; null for one that is disabled or has no schedule. */
async function computeNextDue(
  tx: EntityManager,
  current: TaskEntity | null,
  { schedule, enabled }: Pick<TaskEntity, 'schedule' | 'enabled'>,
): Promise<Date | null> {
  if (!enabled || schedule === null) return null;
  return (current && keptDueTime(current, schedule)) ?? nextDueTime(schedule, await readTime(tx));
}

/** Records what a person does to a task. */
async function auditTask(
  tx: EntityManager,
  { by, requestId }: AuditedCall,
  action: AuditAction,
  { id, name }: TaskEntity,
  more: Record<string, unknown> = {},
): Promise<void> {
  const details = { name, ...more };
  await recordAudit(tx, by, { action, targetType: 'task', targetId: id, details, requestId });
}

import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { TaskType, Workflow } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import type { PreparedSql, Sql } from '../../infra/database/rows.ts';
import { invalid } from '../../infra/errors/app-error.ts';
import { FactsService } from '../../infra/facts/facts.service.ts';
import type { TaskEntity } from './task.entity.ts';
import type { TaskFacts } from './task-facts.ts';
import { getSharedTask, listOwnedTasks, listOwnWorkflows, listTaskFacts } from './tasks.store.ts';

export type { TaskFacts };

/** What is about to happen to a task. */
export interface TaskChange {
  /** The new type. */
  type?: TaskType;
  workflow?: Workflow;
  deleted?: true;
}

/** Runs in the transaction that changes the task, which has locked it. An error prevents the change. */
export type TaskGuard = (
  tx: EntityManager,
  task: { spaceId: string; id: string },
  change: TaskChange,
) => Promise<void>;

/** Runs in the transaction that disables tasks of a space, which has locked them. */
export type DisablingHandler = (tx: EntityManager, spaceId: string) => Promise<void>;

/** Tasks for other modules. */
@Injectable()
export class TaskDirectoryService {
  constructor(private readonly facts: FactsService) {}

  /** Has the space told that a task was disabled, once the transaction has committed. */
  tellDisabled(tx: EntityManager, { id, spaceId, name, disabledReason }: TaskEntity): Promise<void> {
    const payload = { taskId: id, taskName: name, reason: disabledReason ?? 'DISABLED' };
    const key = `${id}:${randomUUID()}`;
    return this.facts.record(tx, { spaceId, name: 'task.disabled', key, payload, causationRunId: null });
  }

  private readonly guards: TaskGuard[] = [];
  private readonly disablings: DisablingHandler[] = [];

  /** Returns tasks of a space by id, deleted ones included; ids that the space does not have are omitted. */
  async find(sql: PreparedSql, spaceId: string, ids: readonly string[]): Promise<Map<string, TaskFacts>> {
    const found = ids.length === 0 ? [] : await listTaskFacts(sql, spaceId, ids);
    return new Map(found.map((facts) => [facts.id, facts]));
  }

  /** Returns the workflows of tasks that belong to no application, by task. */
  async findWorkflows(sql: Sql, spaceId: string, ids: readonly string[]): Promise<Map<string, Workflow>> {
    const found = ids.length === 0 ? [] : await listOwnWorkflows(sql, spaceId, ids);
    return new Map(found.map(({ id, workflow }) => [id, workflow]));
  }

  /** Lists the enabled tasks that a person owns. */
  async listEnabledOf(
    manager: EntityManager,
    spaceId: string,
    ownerUserId: string,
    limit: number,
  ): Promise<string[]> {
    const tasks = await listOwnedTasks(manager, { spaceId, ownerUserId }, limit);
    return tasks.filter(({ enabled }) => enabled).map(({ id }) => id);
  }

  /**
   * Returns a task that can subscribe to events; its type cannot change until the transaction ends. Throws NOT_FOUND,
   * FORBIDDEN for a task of another space, and VALIDATION_ERROR if the task is not of type EVENT.
   */
  async getForSubscription(tx: EntityManager, spaceId: string, taskId: string): Promise<TaskFacts> {
    const task = await getSharedTask(tx, spaceId, taskId);
    if (task.type !== 'EVENT') throw invalid(`taskId must name a task of type EVENT, not ${task.type}`);
    return toFacts(task);
  }

  /** To be called in `onModuleInit`. Guards run one after another, because they share a connection. */
  onChange(guard: TaskGuard): void {
    this.guards.push(guard);
  }

  /** To be called in `onModuleInit`: for modules that must not take a task for enabled any more once it is not. */
  onDisabling(handler: DisablingHandler): void {
    this.disablings.push(handler);
  }

  /**
   * Waits until nobody acts on a task of the space that was read as enabled. Whoever disables tasks calls it between their locks
   * and the commit.
   */
  async waitForReaders(tx: EntityManager, spaceId: string): Promise<void> {
    for (const handler of this.disablings) await handler(tx, spaceId);
  }

  /** Requires the lock of the task. Throws the error of the first guard that refuses the change. */
  async assertChange(
    tx: EntityManager,
    { spaceId, id }: Pick<TaskEntity, 'spaceId' | 'id'>,
    change: TaskChange,
  ): Promise<void> {
    for (const guard of this.guards) await guard(tx, { spaceId, id }, change);
  }
}

function toFacts(task: TaskEntity): TaskFacts {
  const { id, name, type, enabled, disabledReason, ownerUserId, concurrencyKey } = task;
  return { id, name, type, enabled, disabledReason, ownerUserId, concurrencyKey, exists: true };
}

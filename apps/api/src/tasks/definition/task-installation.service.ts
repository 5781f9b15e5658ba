import { Injectable } from '@nestjs/common';
import type { ManifestTask, TaskType } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { IdentityService } from '../../auth/people/identity.service.ts';
import { readTime } from '../../infra/database/rows.ts';
import { checkManifestTasks, newManifestDefinition } from './manifest-tasks.ts';
import { keptDueTime, nextDueTime } from './schedule.ts';
import { TaskDirectoryService } from './task-directory.service.ts';
import type { TaskEntity } from './task.entity.ts';
import {
  giveTask,
  insertTask,
  listTasksToRetire,
  lockTaskOfApplication,
  lockTasksOfApplication,
  retireTasks,
  updateTask,
} from './tasks.store.ts';

/** Where the tasks of an application are installed. */
export interface TaskInstallationTarget {
  spaceId: string;
  applicationId: string;
  /** Whoever installs the application: its tasks run as this person. */
  ownerUserId: string;
}

/** The tasks of applications. */
@Injectable()
export class TaskInstallationService {
  constructor(
    private readonly directory: TaskDirectoryService,
    private readonly identity: IdentityService,
  ) {}

  /**
   * Creates and updates the tasks of an application, and retires those that the manifest no longer declares. A task that
   * returns keeps its id and whether it is enabled. Requires a lock on the application. Returns the id of each task by
   * its key.
   */
  async install(
    tx: EntityManager,
    target: TaskInstallationTarget,
    tasks: readonly ManifestTask[],
  ): Promise<Map<string, string>> {
    const now = await readTime(tx);
    const ids = new Map<string, string>();
    for (const task of tasks) ids.set(task.key, await this.installTask(tx, target, task, now));
    await retireTasks(tx, target.applicationId, [...ids.keys()]);
    return ids;
  }

  /**
   * Gives the tasks of an application whose owners have left the space to a person, and enables those that were disabled for that
   * reason. Requires a lock on the application. Returns how many.
   */
  async adopt(
    tx: EntityManager,
    { spaceId, applicationId, ownerUserId }: TaskInstallationTarget,
  ): Promise<number> {
    const tasks = await lockTasksOfApplication(tx, applicationId);
    const gone = new Set<string>();
    for (const userId of new Set(tasks.map((task) => task.ownerUserId)))
      if (!(await this.identity.isMember(spaceId, userId, tx))) gone.add(userId);
    const orphans = tasks.filter((task) => gone.has(task.ownerUserId));
    for (const task of orphans) await giveTask(tx, task, ownerUserId);
    return orphans.length;
  }

  /** Retires all tasks of an application: they keep their rows, and start no more runs. */
  async uninstall(tx: EntityManager, applicationId: string): Promise<void> {
    await retireTasks(tx, applicationId, []);
  }

  /** Returns what is wrong with the tasks of a manifest; each sentence starts with the JSON pointer of the value. */
  validate(tasks: unknown, pointer: string): string[] {
    return checkManifestTasks(tasks, pointer);
  }

  /** Throws CONFLICT if a task cannot get the type that a manifest gives it. */
  async assertTypes(tx: EntityManager, applicationId: string, tasks: readonly ManifestTask[]): Promise<void> {
    for (const task of tasks) {
      await this.lockForType(tx, applicationId, task.key, newManifestDefinition(task).type);
    }
  }

  /** Lists the tasks that the application would no longer have with others. */
  listRemoved(tx: EntityManager, applicationId: string, tasks: readonly ManifestTask[]): Promise<string[]> {
    return listTasksToRetire(
      tx,
      applicationId,
      tasks.map(({ key }) => key),
    );
  }

  private async lockForType(
    tx: EntityManager,
    applicationId: string,
    key: string,
    type: TaskType,
  ): Promise<TaskEntity | null> {
    const current = await lockTaskOfApplication(tx, applicationId, key);
    if (current !== null && current.type !== type) await this.directory.assertChange(tx, current, { type });
    return current;
  }

  private async installTask(
    tx: EntityManager,
    { spaceId, applicationId, ownerUserId }: TaskInstallationTarget,
    task: ManifestTask,
    now: Date,
  ): Promise<string> {
    const definition = newManifestDefinition(task);
    const current = await this.lockForType(tx, applicationId, task.key, definition.type);
    // A task that the platform disabled because its owner left runs again as the person who installs it.
    const enabled = current === null || current.enabled || current.disabledReason !== null;
    const { schedule } = definition;
    const nextDueAt =
      enabled && schedule !== null
        ? ((current && keptDueTime(current, schedule)) ?? nextDueTime(schedule, now))
        : null;
    const values = {
      ...definition,
      ownerUserId,
      enabled,
      disabledReason: null,
      nextDueAt,
      changedBy: ownerUserId,
    };
    const { id } =
      current === null
        ? await insertTask(tx, { ...values, spaceId, applicationId, applicationKey: task.key })
        : await updateTask(tx, current, { ...values, retiredAt: null });
    return id;
  }
}

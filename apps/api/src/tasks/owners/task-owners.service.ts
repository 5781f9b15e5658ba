import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { MemberRemoval } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { recordAudit } from '../../auth/audit/audit.ts';
import {
  COUNTED,
  holdingsOf,
  MemberRemovalsRegistry,
  type RemovedMember,
} from '../../auth/people/member-removals.registry.ts';
import type { AuditedCall } from '../../auth/principals/caller.decorator.ts';
import { AppError, conflict } from '../../infra/errors/app-error.ts';
import { joinProblems } from '../../infra/errors/error-message.ts';
import { findStepKind } from '../definition/step-kinds.ts';
import { listSteps } from '../definition/workflow.ts';
import { TaskDirectoryService } from '../definition/task-directory.service.ts';
import { TaskReferencesService } from '../definition/task-references.service.ts';
import type { TaskEntity } from '../definition/task.entity.ts';
import { disableTasksOf, listOwnedTasks, updateTask } from '../definition/tasks.store.ts';

/** How many refusals a preview shows. */
const MAX_REFUSED = 20;

type Refused = MemberRemoval['refused'][number];

/** What becomes of tasks whose owner leaves the space. */
@Injectable()
export class TaskOwnersService implements OnModuleInit {
  constructor(
    private readonly removals: MemberRemovalsRegistry,
    private readonly references: TaskReferencesService,
    private readonly directory: TaskDirectoryService,
  ) {}

  onModuleInit(): void {
    this.removals.register({
      preview: (manager, removed, call) => this.preview(manager, removed, call),
      remove: async (tx, removed, call) => {
        const { spaceId, userId, transferTo } = removed;
        if (transferTo !== null) await this.transfer(tx, { spaceId, userId, transferTo }, call);
        // Also tasks that the person has created meanwhile.
        for (const task of await disableTasksOf(tx, spaceId, userId))
          await this.directory.tellDisabled(tx, task);
        await this.directory.waitForReaders(tx, spaceId);
      },
    });
  }

  private async preview(
    manager: EntityManager,
    { spaceId, userId: ownerUserId, transferTo }: RemovedMember,
    call: AuditedCall,
  ): Promise<Partial<MemberRemoval>> {
    const tasks = await listOwnedTasks(manager, { spaceId, ownerUserId }, COUNTED);
    const enabled = tasks.filter((task) => task.enabled);
    const adminTasks = enabled.filter(({ workflow }) =>
      listSteps(workflow).some(({ step }) => findStepKind(step.kind)?.requiresAdmin),
    );
    const refused = transferTo === null ? [] : await this.findRefused(manager, call, tasks, transferTo);
    return {
      tasks: named(enabled),
      schedules: named(enabled.filter(({ schedule }) => schedule !== null)),
      adminTasks: named(adminTasks),
      refused: refused.slice(0, MAX_REFUSED),
    };
  }

  /** Gives all tasks of a person to another one, or none. Their runs act as the new owner, also those that wait. */
  private async transfer(
    tx: EntityManager,
    { spaceId, userId, transferTo }: RemovedMember & { transferTo: string },
    call: AuditedCall,
  ): Promise<void> {
    const tasks = await listOwnedTasks(tx, { spaceId, ownerUserId: userId }, COUNTED + 1, true);
    if (tasks.length > COUNTED)
      throw conflict(`More than ${COUNTED} tasks cannot be transferred at once: give some to others first`);
    const refused = await this.findRefused(tx, call, tasks, transferTo);
    if (refused.length > 0)
      throw conflict(
        `The new owner cannot take over all tasks: ${joinProblems(refused.map(({ name, reason }) => `${name}: ${reason}`))}`,
      );
    for (const task of tasks) {
      await updateTask(tx, task, { ownerUserId: transferTo });
      const details = { name: task.name, from: userId, to: transferTo };
      const entry = { action: 'task.change-owner' as const, targetType: 'task', targetId: task.id };
      await recordAudit(tx, call.by, { ...entry, details, requestId: call.requestId });
    }
  }

  private async findRefused(
    tx: EntityManager,
    { by }: AuditedCall,
    tasks: readonly TaskEntity[],
    ownerUserId: string,
  ): Promise<Refused[]> {
    const refused: Refused[] = [];
    for (const { id, name, spaceId, workflow } of tasks) {
      try {
        await this.references.assertWorkflow(by, { spaceId, ownerUserId }, workflow, tx);
      } catch (error) {
        if (!(error instanceof AppError) || error.status >= 500) throw error;
        refused.push({ taskId: id, name, reason: error.message });
      }
    }
    return refused;
  }
}

const named = (tasks: readonly TaskEntity[]) => holdingsOf(tasks.map(({ name }) => name));

import { Injectable } from '@nestjs/common';
import type { Workflow } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { IdentityService } from '../../auth/people/identity.service.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Database } from '../../infra/database/database.ts';
import { conflict, forbidden, invalid, invalidFor } from '../../infra/errors/app-error.ts';
import { ActionRegistry } from './action.registry.ts';
import { findStepKind } from './step-kinds.ts';
import type { TaskEntity } from './task.entity.ts';
import { listSteps } from './workflow.ts';

type Owned = Pick<TaskEntity, 'spaceId' | 'ownerUserId'>;

/** Checks what a task refers to: its owner, and the agents, tools, and events of its steps. */
@Injectable()
export class TaskReferencesService {
  constructor(
    private readonly database: Database,
    private readonly identity: IdentityService,
    private readonly actions: ActionRegistry,
  ) {}

  /**
   * Throws VALIDATION_ERROR that names each step whose agent, tool, or event the owner cannot use, and FORBIDDEN if a step
   * requires an admin and the caller or the owner is none.
   */
  async assertWorkflow(
    caller: UserPrincipal,
    task: Owned,
    workflow: Workflow,
    tx: EntityManager = this.database.manager,
  ): Promise<void> {
    const owner = await this.getOwner(task, tx);
    assertAdmins(workflow, caller, owner);
    const where = { spaceId: owner.spaceId, owner };
    const problems: string[] = [];
    for (const { step, path: at } of listSteps(workflow)) {
      if (findStepKind(step.kind)?.action === null) continue;
      const path = ['workflow', ...at].join('.');
      const action = this.actions.get(step.kind);
      if (action === null) problems.push(`${path}.kind must not be ${step.kind}: no such steps can run`);
      else problems.push(...((await action.validate?.(tx, where, step, path)) ?? []));
    }
    if (problems.length > 0) throw invalidFor(problems);
  }

  /**
   * Throws VALIDATION_ERROR unless the person is a member of the space, and what `assertWorkflow` throws if the steps of the task
   * need rights that the person has not.
   */
  async assertNewOwner(caller: UserPrincipal, task: TaskEntity, ownerUserId: string): Promise<void> {
    const { spaceId, workflow } = task;
    if (!(await this.identity.isMember(spaceId, ownerUserId)))
      throw invalid('ownerUserId must name a member of the space');
    await this.assertWorkflow(caller, { spaceId, ownerUserId }, workflow);
  }

  /** Throws CONFLICT if the owner is no longer a member of the space. */
  async assertOwner(tx: EntityManager, task: Owned): Promise<void> {
    await this.getOwner(task, tx);
  }

  private async getOwner({ spaceId, ownerUserId }: Owned, tx: EntityManager): Promise<UserPrincipal> {
    const owner = await this.identity.findPrincipal(spaceId, ownerUserId, tx);
    if (owner === null) throw conflict('The owner of the task is no longer a member of the space');
    return owner;
  }
}

function assertAdmins(workflow: Workflow, caller: UserPrincipal, owner: UserPrincipal): void {
  for (const { step, path } of listSteps(workflow)) {
    const { kind } = step;
    if (!findStepKind(kind)?.requiresAdmin) continue;
    const problem = `${['workflow', ...path].join('.')}.kind must not be ${kind}`;
    if (caller.role !== 'ADMIN') throw forbidden(`${problem}: only admins make such steps`);
    if (owner.role !== 'ADMIN') throw forbidden(`${problem}: the owner of the task is not an admin`);
  }
}

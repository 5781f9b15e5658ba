import { Injectable } from '@nestjs/common';
import type { Workflow } from '@platform/contracts';
import { DataSource } from 'typeorm';
import type { UserPrincipal } from '../auth/principal.ts';
import { forbidden, invalidFor } from '../infra/http/app-error.ts';
import { ActionRegistry } from './action-registry.ts';

/** Checks what the steps of a workflow refer to. */
@Injectable()
export class WorkflowReferences {
  constructor(
    private readonly database: DataSource,
    private readonly actions: ActionRegistry,
  ) {}

  /**
   * Throws VALIDATION_ERROR that names each step whose tool, agent, or event the owner cannot use, and FORBIDDEN if a step
   * needs an admin and the caller or the owner is none.
   */
  async assertValid(workflow: Workflow, caller: UserPrincipal, owner: UserPrincipal): Promise<void> {
    assertMayEmit(workflow, caller, owner);
    const where = { spaceId: owner.spaceId, owner };
    const problems: string[] = [];
    for (const [i, step] of workflow.steps.entries()) {
      const path = `workflow.steps.${i}`;
      const action = this.actions.get(step.kind);
      if (action === null) problems.push(`${path}.kind must not be ${step.kind}: no such steps can run`);
      else problems.push(...(await action.validate(this.database, where, step, path)));
    }
    if (problems.length > 0) throw invalidFor(problems);
  }
}

function assertMayEmit({ steps }: Workflow, caller: UserPrincipal, owner: UserPrincipal): void {
  const step = steps.findIndex(({ kind }) => kind === 'emit');
  if (step === -1) return;
  const at = `workflow.steps.${step}.kind`;
  if (caller.role !== 'ADMIN') throw forbidden(`${at} must not be emit: only admins make steps that emit`);
  if (owner.role !== 'ADMIN')
    throw forbidden(`${at} must not be emit: the owner of the task is not an admin`);
}

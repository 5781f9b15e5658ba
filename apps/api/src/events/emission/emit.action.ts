import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EmitStep, EnvelopeReason, EnvelopeStatus, Step } from '@platform/contracts';
import { AppError, forbidden } from '../../infra/errors/app-error.ts';
import type { Sql } from '../../infra/database/rows.ts';
import { ActionRegistry, type Action, type ActionContext } from '../../tasks/definition/action.registry.ts';
import { EmissionService } from './emission.service.ts';

/** The output of a step that emits. */
export interface EmittedEvent {
  envelopeId: string;
  status: EnvelopeStatus;
  /** Why the loop guard skipped the event. */
  reason?: EnvelopeReason;
}

/** Steps that emit an event of an installed application. A skipped event does not fail its step. */
@Injectable()
export class EmitAction implements Action, OnModuleInit {
  readonly kind = 'emit';

  constructor(
    private readonly registry: ActionRegistry,
    private readonly emission: EmissionService,
  ) {}

  onModuleInit(): void {
    this.registry.register(this);
  }

  async validate(sql: Sql, { spaceId }: { spaceId: string }, step: Step, path: string): Promise<string[]> {
    const { applicationIdentifier, event } = emitStep(step);
    try {
      await this.emission.assertRegistered(sql, spaceId, applicationIdentifier, event);
      return [];
    } catch (error) {
      if (error instanceof AppError && error.code === 'NOT_FOUND') return [`${path}: ${error.message}`];
      throw error;
    }
  }

  /** Throws FORBIDDEN if the owner of the task is not an admin any more. */
  async run(context: ActionContext): Promise<EmittedEvent> {
    if (context.owner.role !== 'ADMIN') {
      throw forbidden('Only admins emit events: the owner of the task is not an admin');
    }
    const { envelopeId, status, statusReason } = await this.emission.emitFromRun(
      context,
      emitStep(context.step),
    );
    return { envelopeId, status, ...(statusReason !== null && { reason: statusReason }) };
  }
}

function emitStep(step: Step): EmitStep {
  if (step.kind !== 'emit') throw new Error(`A step of kind ${step.kind} does not emit`);
  return step;
}

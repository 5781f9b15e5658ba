import { Injectable } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { EnvelopeReason, EnvelopeStatus } from '@platform/contracts';
import { AppError, forbidden } from '../../infra/errors/app-error.ts';
import type { Sql } from '../../infra/database/rows.ts';
import type { Action, ActionContext } from '../../tasks/definition/action.registry.ts';
import { checkName, checkValues, RunsSteps } from '../../tasks/definition/step-kinds.ts';
import { StepSchema } from '../../tasks/definition/step.schema.ts';
import { EmissionService } from './emission.service.ts';
import { isIdempotencyKey, MAX_KEY } from './idempotency-key.ts';

/** The output of a step that emits. */
export interface EmittedEvent {
  envelopeId: string;
  status: EnvelopeStatus;
  /** Why the loop guard skipped the event. */
  reason?: EnvelopeReason;
  /** The event was recorded before, by another attempt or with the same key: nothing was recorded now. */
  duplicate?: true;
  /** It was recorded with another payload. */
  samePayload?: false;
}

class EmitStepDto extends StepSchema {
  @ApiProperty({ enum: ['emit'] })
  kind!: 'emit';
  applicationIdentifier!: string;
  event!: string;
  /** May contain templates. */
  @ApiProperty({ type: 'object', additionalProperties: true })
  payload!: Record<string, unknown>;
  /**
   * Events of the application with the same name and key are recorded once, whoever emits them. At most 255 characters; may
   * contain templates. Default: one that all attempts of the run share.
   */
  @ApiPropertyOptional({ type: 'string', maxLength: MAX_KEY, nullable: true })
  idempotencyKey?: string | null;
}

function checkKey(value: unknown): string | null {
  if (value === undefined || value === null || isIdempotencyKey(value)) return null;
  return `must be a text of 1 to ${MAX_KEY} characters`;
}

/** Emits an event of an installed application. A skipped event does not fail its step. */
@Injectable()
@RunsSteps<EmitStepDto>({
  kind: 'emit',
  schema: EmitStepDto,
  fields: {
    applicationIdentifier: checkName,
    event: checkName,
    payload: checkValues,
    idempotencyKey: checkKey,
  },
  input: 'payload',
  acts: false,
  hasEffects: () => true,
  simulated: 'always',
  templates: ['idempotencyKey'],
  output: ['envelopeId', 'status', 'reason', 'duplicate', 'samePayload'] satisfies (keyof EmittedEvent)[],
  codeName: 'platform.emit',
  requiresAdmin: true,
  checkInManifest: ({ applicationIdentifier, event }, { identifier, events }) =>
    applicationIdentifier !== identifier || typeof event !== 'string' || events.has(event)
      ? []
      : [{ path: ['event'], text: `must name an event of the manifest; it has no ${event}` }],
})
export class EmitAction implements Action<EmitStepDto> {
  constructor(private readonly emission: EmissionService) {}

  async validate(
    sql: Sql,
    { spaceId }: { spaceId: string },
    { applicationIdentifier, event }: EmitStepDto,
    path: string,
  ): Promise<string[]> {
    try {
      await this.emission.getRegistered(sql, spaceId, applicationIdentifier, event);
      return [];
    } catch (error) {
      if (error instanceof AppError && error.code === 'NOT_FOUND') return [`${path}: ${error.message}`];
      throw error;
    }
  }

  example(): object {
    return { envelopeId: '00000000-0000-0000-0000-000000000000', status: 'RECORDED' };
  }

  /** Throws FORBIDDEN if the owner of the task is not an admin any more. */
  async run(context: ActionContext<EmitStepDto>): Promise<EmittedEvent> {
    if (context.owner.role !== 'ADMIN') {
      throw forbidden('Only admins emit events: the owner of the task is not an admin');
    }
    const { envelopeId, status, statusReason, duplicate, samePayload } =
      await this.emission.emitFromRun(context);
    return {
      envelopeId,
      status,
      ...(statusReason !== null && { reason: statusReason }),
      ...(duplicate && { duplicate }),
      ...(!samePayload && { samePayload }),
    };
  }
}

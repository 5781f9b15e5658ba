import { Injectable } from '@nestjs/common';
import type { EmitResponse, TestEmissionRequest } from '@platform/contracts';
import { Database } from '../../infra/database/database.ts';
import { recordAudit } from '../../auth/audit/audit.ts';
import type { AuditedCall } from '../../auth/principals/caller.decorator.ts';
import { EmissionService } from './emission.service.ts';

@Injectable()
export class TestEmissionsService {
  constructor(
    private readonly database: Database,
    private readonly emission: EmissionService,
  ) {}

  /** Emits an event by hand. */
  async emit(
    { by, requestId }: AuditedCall,
    applicationIdentifier: string,
    event: string,
    emission: TestEmissionRequest,
  ): Promise<EmitResponse> {
    const emitted = await this.emission.emitTest(by, applicationIdentifier, event, emission);
    const entry = { action: 'event.test' as const, targetType: 'envelope', targetId: emitted.envelopeId };
    await recordAudit(this.database.manager, by, {
      ...entry,
      details: { applicationIdentifier, event },
      requestId,
    });
    return emitted;
  }
}

import { Injectable } from '@nestjs/common';
import type { CatalogApplication, EmitResponse } from '@platform/contracts';
import { DataSource } from 'typeorm';
import { ApplicationIdentities } from '../auth/application-identities.ts';
import { recordAudit } from '../auth/audit.ts';
import type { AuditedCall } from '../auth/caller.decorator.ts';
import { listCatalog } from './catalog.store.ts';
import { Emission } from './emission.ts';

@Injectable()
export class CatalogService {
  constructor(
    private readonly database: DataSource,
    private readonly applications: ApplicationIdentities,
    private readonly emission: Emission,
  ) {}

  /** Lists the registered events of a space, grouped by application. */
  async list(spaceId: string): Promise<CatalogApplication[]> {
    const events = await listCatalog(this.database, spaceId);
    const byApplication = Map.groupBy(events, ({ applicationId }) => applicationId);
    const identifiers = await this.applications.names(this.database, spaceId, [...byApplication.keys()]);
    return [...byApplication].map(([id, rows]) => ({
      applicationIdentifier: identifiers.get(id) ?? '',
      name: rows[0]?.applicationName ?? '',
      events: rows.map(({ name, description, payloadSchema }) => ({ name, description, payloadSchema })),
    }));
  }

  /** Emits an event by hand. */
  async emitTest(
    { by, requestId }: AuditedCall,
    applicationIdentifier: string,
    event: string,
    payload: Record<string, unknown>,
  ): Promise<EmitResponse> {
    const emitted = await this.emission.emitTest(by, applicationIdentifier, event, payload);
    const entry = { action: 'event.test' as const, targetType: 'envelope', targetId: emitted.envelopeId };
    await recordAudit(this.database.manager, by, {
      ...entry,
      details: { applicationIdentifier, event },
      requestId,
    });
    return emitted;
  }
}

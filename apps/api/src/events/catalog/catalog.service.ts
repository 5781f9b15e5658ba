import { Injectable } from '@nestjs/common';
import type { CatalogApplication } from '@platform/contracts';
import { Database } from '../../infra/database/database.ts';
import { ApplicationIdentitiesService } from '../../auth/applications/application-identities.service.ts';
import { listCatalog } from './catalog.store.ts';

@Injectable()
export class CatalogService {
  constructor(
    private readonly database: Database,
    private readonly applications: ApplicationIdentitiesService,
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
}

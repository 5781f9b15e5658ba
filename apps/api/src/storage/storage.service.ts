import { Injectable } from '@nestjs/common';
import { LIMITED_STORAGE_KINDS, type SpaceStorage, type StorageUse } from '@platform/contracts';
import { recordAudit } from '../auth/audit/audit.ts';
import { ApplicationIdentitiesService } from '../auth/applications/application-identities.service.ts';
import type { AuditedCall } from '../auth/principals/caller.decorator.ts';
import { Database } from '../infra/database/database.ts';
import { StorageQuotaEntity } from './storage-quota.entity.ts';
import { StorageQuotasService } from './storage-quotas.service.ts';
import type { StorageQuotasDto } from './storage.dto.ts';
import { StorageRegistry, type Measurement } from './storage.registry.ts';

/** The largest tables are listed. */
const MAX_TABLES = 100;

@Injectable()
export class StorageService {
  constructor(
    private readonly database: Database,
    private readonly registry: StorageRegistry,
    private readonly quotas: StorageQuotasService,
    private readonly applications: ApplicationIdentitiesService,
  ) {}

  async get(spaceId: string): Promise<SpaceStorage> {
    const { manager } = this.database;
    const stored = await manager.findOneBy(StorageQuotaEntity, { spaceId });
    const items: StorageUse[] = [];
    for (const kind of this.registry.kinds) {
      const quotaBytes =
        (kind === 'EVENTS' ? stored?.eventBytes : kind === 'ROWS' ? stored?.rowBytes : null) ?? null;
      const use = await this.describe(spaceId, await this.registry.measure(manager, spaceId, kind));
      items.push({
        kind,
        quotaBytes,
        isLimitable: LIMITED_STORAGE_KINDS.some((one) => one === kind),
        ...use,
      });
    }
    return { items };
  }

  /** Replaces the quotas of the space. What is stored stays, also beyond a quota. */
  async setQuotas({ by, requestId }: AuditedCall, quotas: StorageQuotasDto): Promise<SpaceStorage> {
    const { spaceId } = by;
    const { eventBytes, rowBytes } = quotas;
    await this.database.transaction(async (tx) => {
      await tx.upsert(StorageQuotaEntity, { spaceId, eventBytes, rowBytes }, ['spaceId']);
      const entry = { action: 'storage.set-quotas' as const, targetType: 'space', targetId: spaceId };
      await recordAudit(tx, by, { ...entry, details: { eventBytes, rowBytes }, requestId });
    });
    this.quotas.forget(spaceId);
    return this.get(spaceId);
  }

  private async describe(spaceId: string, { measuredAt, tables }: Measurement) {
    const largest = tables.toSorted((a, b) => b.bytes - a.bytes).slice(0, MAX_TABLES);
    const ids = [...new Set(largest.flatMap(({ applicationId }) => applicationId ?? []))];
    const names = await this.applications.names(this.database.manager, spaceId, ids);
    return {
      measuredAt: measuredAt.toISOString(),
      bytes: tables.reduce((sum, { bytes }) => sum + bytes, 0),
      count: tables.reduce((sum, { count }) => sum + count, 0),
      tables: largest.map(({ applicationId, name, count, bytes }) => ({
        applicationIdentifier: applicationId === null ? null : (names.get(applicationId) ?? null),
        name,
        count,
        bytes,
      })),
    };
  }
}

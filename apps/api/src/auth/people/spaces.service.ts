import { Injectable } from '@nestjs/common';
import type { Page, SpaceSummary } from '@platform/contracts';
import { Database } from '../../infra/database/database.ts';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { forbidden } from '../../infra/errors/app-error.ts';
import type { PageDto } from '../../infra/requests/page.dto.ts';
import { Cursors } from '../../infra/requests/cursors.ts';
import { recordAudit } from '../audit/audit.ts';
import type { AuditedCall } from '../principals/caller.decorator.ts';
import { IdentityService, toSpace } from './identity.service.ts';
import { listSpaces } from './memberships.store.ts';

@Injectable()
export class SpacesService {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly config: PlatformConfig,
    private readonly identity: IdentityService,
  ) {}

  async list(userId: string, { limit, cursor }: PageDto): Promise<Page<SpaceSummary>> {
    const filter = { spacesOf: userId };
    const before = this.cursors.idAfter(cursor, filter);
    const spaces = await listSpaces(this.database.manager, userId, before, limit + 1);
    return this.cursors.page(spaces, limit, filter, ({ spaceId }) => [spaceId], toSpace);
  }

  async create({ by, requestId }: AuditedCall, name: string): Promise<SpaceSummary> {
    const mayCreate =
      this.config.spaceCreation === 'everyone' || (await this.identity.isInstallationAdmin(by.userId));
    if (!mayCreate) throw forbidden('Only installation administrators may create spaces');
    return this.database.transaction(async (tx) => {
      const space = await this.identity.createSpace(tx, name, by.userId);
      await recordAudit(tx, by, {
        spaceId: space.id,
        action: 'space.create',
        targetType: 'space',
        targetId: space.id,
        details: { name },
        requestId,
      });
      return space;
    });
  }
}

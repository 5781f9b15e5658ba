import { Injectable } from '@nestjs/common';
import type { Page, SpaceSummary } from '@platform/contracts';
import { DataSource } from 'typeorm';
import { PlatformConfig } from '../infra/config/platform-config.ts';
import { rows } from '../infra/database/rows.ts';
import { forbidden } from '../infra/http/app-error.ts';
import type { PageDto } from '../infra/http/page.dto.ts';
import { Cursors } from '../infra/http/cursors.ts';
import { recordAudit } from './audit.ts';
import type { AuditedCall } from './caller.decorator.ts';
import { IdentityService } from './identity.service.ts';

@Injectable()
export class SpacesService {
  constructor(
    private readonly database: DataSource,
    private readonly cursors: Cursors,
    private readonly config: PlatformConfig,
    private readonly identity: IdentityService,
  ) {}

  async list(userId: string, { limit, cursor }: PageDto): Promise<Page<SpaceSummary>> {
    const filter = { spacesOf: userId };
    const spaces = await rows<SpaceSummary>(
      this.database,
      `select s.id, s.name, m.role from membership m join space s on s.id = m.space_id
       where m.user_id = $1 and m.removed_at is null and ($2::uuid is null or m.space_id < $2)
       order by m.space_id desc limit $3`,
      [userId, this.cursors.idAfter(cursor, filter), limit + 1],
    );
    return this.cursors.page(
      spaces,
      limit,
      filter,
      ({ id }) => [id],
      (space) => space,
    );
  }

  async create({ by, requestId }: AuditedCall, name: string): Promise<SpaceSummary> {
    const mayCreate =
      this.config.spaceCreation === 'everyone' || (await this.identity.isInstallationAdmin(by.userId));
    if (!mayCreate) throw forbidden('Spaces are created by installation administrators alone');
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

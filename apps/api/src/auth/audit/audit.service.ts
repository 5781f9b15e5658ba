import { Injectable } from '@nestjs/common';
import type { AuditEntry, Page } from '@platform/contracts';
import { Database } from '../../infra/database/database.ts';
import { Cursors } from '../../infra/requests/cursors.ts';
import type { AuditEntryEntity } from './audit-entry.entity.ts';
import { listEntries } from './audit.store.ts';
import type { AuditQueryDto } from './audit.dto.ts';
import { parseInstant } from '../../infra/requests/instant.ts';
import { toUser } from '../principals/users.store.ts';

@Injectable()
export class AuditService {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
  ) {}

  async list(
    spaceId: string,
    { limit, cursor, actor, action, from, to }: AuditQueryDto,
  ): Promise<Page<AuditEntry>> {
    const filter = { auditOf: spaceId, actor, action, from, to };
    const entries = await listEntries(this.database.manager, {
      spaceId,
      actorUserId: actor,
      action,
      from: parseInstant(from),
      to: parseInstant(to),
      beforeId: this.cursors.idAfter(cursor, filter),
      limit: limit + 1,
    });
    return this.cursors.page(entries, limit, filter, ({ id }) => [id], toEntry);
  }
}

function toEntry(entry: AuditEntryEntity): AuditEntry {
  const { id, at, actor, action, targetType, targetId, details, requestId } = entry;
  return {
    id,
    at: at.toISOString(),
    actor: actor && toUser(actor),
    action,
    targetType,
    targetId,
    details,
    requestId,
  };
}

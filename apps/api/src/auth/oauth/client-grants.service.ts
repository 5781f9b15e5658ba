import { Injectable } from '@nestjs/common';
import type { OAuthGrant, Page } from '@platform/contracts';
import { IsNull } from 'typeorm';
import { Database } from '../../infra/database/database.ts';
import { Cursors } from '../../infra/requests/cursors.ts';
import type { PageDto } from '../../infra/requests/page.dto.ts';
import { recordAudit } from '../audit/audit.ts';
import { OAuthClientEntity } from '../grants/oauth-client.entity.ts';
import { OAuthGrantEntity } from '../grants/oauth-grant.entity.ts';
import type { AuditedCall } from '../principals/caller.decorator.ts';
import type { UserPrincipal } from '../principals/principal.ts';
import { missingOrForeign, requireUuid } from '../principals/resource-scope.ts';
import { toUser } from '../principals/users.store.ts';
import { listGrants, revokeGrant } from './authorizations.store.ts';
import { toClient } from './oauth-client-view.ts';

/** The clients that people have let into a space: their own, and for admins those of everyone. */
@Injectable()
export class ClientGrantsService {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
  ) {}

  async list(by: UserPrincipal, { limit, cursor }: PageDto): Promise<Page<OAuthGrant>> {
    const { spaceId } = by;
    const userId = ownerFilter(by);
    const filter = { grantsOf: [spaceId, userId] };
    const after = this.cursors.idAfter(cursor, filter);
    const grants = await listGrants(this.database.manager, { spaceId, userId }, after, limit + 1);
    return this.cursors.page(grants, limit, filter, ({ id }) => [id], toGrant);
  }

  /** Ends what a client may do, with immediate effect. */
  async revoke({ by, requestId }: AuditedCall, id: string): Promise<void> {
    const label = `Grant ${id}`;
    requireUuid(id, label);
    const { spaceId } = by;
    const userId = ownerFilter(by);
    await this.database.transaction(async (tx) => {
      const grant = await revokeGrant(tx, { id, spaceId, ...(userId !== null && { userId }) });
      if (!grant) throw await missingOrForeign(tx, OAuthGrantEntity, { id, revokedAt: IsNull() }, label);
      const client = await tx.findOneByOrFail(OAuthClientEntity, { id: grant.clientId });
      await recordAudit(tx, by, {
        action: 'oauth-grant.revoke',
        targetType: 'oauth-grant',
        targetId: id,
        details: { client: client.name, userId: grant.userId },
        requestId,
      });
    });
  }
}

const ownerFilter = ({ role, userId }: UserPrincipal) => (role === 'ADMIN' ? null : userId);

function toGrant(grant: OAuthGrantEntity): OAuthGrant {
  const { id, client, user, redirectUri, scopes, createdAt, lastUsedAt, expiresAt } = grant;
  return {
    id,
    client: toClient(client, redirectUri),
    user: toUser(user),
    scopes,
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
    expiresAt: expiresAt.toISOString(),
  };
}

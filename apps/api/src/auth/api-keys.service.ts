import { Injectable } from '@nestjs/common';
import type { ApiKey, CreatedApiKey, Page } from '@platform/contracts';
import { DataSource } from 'typeorm';
import { firstRow, rows } from '../infra/database/rows.ts';
import { invalid } from '../infra/http/app-error.ts';
import type { PageDto } from '../infra/http/page.dto.ts';
import { Cursors } from '../infra/http/cursors.ts';
import { recordAudit } from './audit.ts';
import type { Act } from './caller.decorator.ts';
import { IdentityService, keyPrefix } from './identity.service.ts';
import { instant } from './instant.ts';
import type { UserPrincipal } from './principal.ts';
import { missingOrForeign, requireUuid } from './resource-scope.ts';

interface ApiKeyRow {
  id: string;
  name: string;
  publicId: string;
  createdAt: Date;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
}

/** The API keys of a user in a space; nobody sees or ends those of another. */
@Injectable()
export class ApiKeysService {
  constructor(
    private readonly database: DataSource,
    private readonly cursors: Cursors,
    private readonly identity: IdentityService,
  ) {}

  async list({ spaceId, userId }: UserPrincipal, { limit, cursor }: PageDto): Promise<Page<ApiKey>> {
    const filter = { keysOf: [spaceId, userId] };
    const keys = await rows<ApiKeyRow>(
      this.database,
      `select id, name, public_id as "publicId", created_at as "createdAt", expires_at as "expiresAt",
         last_used_at as "lastUsedAt"
       from api_key
       where space_id = $1 and user_id = $2 and revoked_at is null and ($3::uuid is null or id < $3)
       order by id desc limit $4`,
      [spaceId, userId, this.cursors.idAfter(cursor, filter), limit + 1],
    );
    return this.cursors.page(keys, limit, filter, ({ id }) => [id], toApiKey);
  }

  create({ by, requestId }: Act, name: string, expires: string | null): Promise<CreatedApiKey> {
    const { spaceId, userId } = by;
    const expiresAt = instant(expires);
    return this.database.transaction(async (tx) => {
      const past = await firstRow<{ past: boolean | null }>(
        tx,
        'select $1::timestamptz <= clock_timestamp() as past',
        [expiresAt],
      );
      if (past?.past) throw invalid('expiresAt must be in the future');
      const key = await this.identity.mintApiKey(tx, { spaceId, userId, name, expiresAt });
      await recordAudit(tx, by, {
        action: 'api-key.create',
        targetType: 'api-key',
        targetId: key.id,
        details: { name, prefix: key.prefix, expiresAt: key.expiresAt },
        requestId,
      });
      return key;
    });
  }

  async revoke({ by, requestId }: Act, id: string): Promise<void> {
    const label = `API key ${id}`;
    requireUuid(id, label);
    await this.database.transaction(async (tx) => {
      const key = await firstRow<{ name: string; publicId: string }>(
        tx,
        `update api_key set revoked_at = clock_timestamp()
         where space_id = $1 and user_id = $2 and id = $3 and revoked_at is null
         returning name, public_id as "publicId"`,
        [by.spaceId, by.userId, id],
      );
      if (!key) throw await missingOrForeign(tx, 'api_key', id, label);
      await recordAudit(tx, by, {
        action: 'api-key.revoke',
        targetType: 'api-key',
        targetId: id,
        details: { name: key.name, prefix: keyPrefix(key.publicId) },
        requestId,
      });
    });
  }
}

function toApiKey({ id, name, publicId, createdAt, expiresAt, lastUsedAt }: ApiKeyRow): ApiKey {
  return {
    id,
    name,
    prefix: keyPrefix(publicId),
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  };
}

import { Injectable } from '@nestjs/common';
import type { ApiKey, CreatedApiKey, Page, PersonalApiKey } from '@platform/contracts';
import { DataSource, IsNull } from 'typeorm';
import { firstRow, type Sql } from '../infra/database/rows.ts';
import { invalid } from '../infra/http/app-error.ts';
import { Cursors } from '../infra/http/cursors.ts';
import type { PageDto } from '../infra/http/page.dto.ts';
import { ApiKeyEntity } from './api-key.entity.ts';
import { listKeys, toApiKey, toPersonalKey } from './api-keys.store.ts';
import { recordAudit } from './audit.ts';
import type { AuditedCall } from './caller.decorator.ts';
import { lockCaller } from './caller-lock.store.ts';
import { IdentityService, keyPrefix } from './identity.service.ts';
import { parseInstant } from '../infra/http/instant.ts';
import type { UserPrincipal } from './principal.ts';
import { missingOrForeign, requireUuid } from './resource-scope.ts';

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
    const after = this.cursors.idAfter(cursor, filter);
    const keys = await listKeys(this.database, { userId, spaceId }, after, limit + 1);
    return this.cursors.page(keys, limit, filter, ({ id }) => [id], toApiKey);
  }

  /** In all spaces, for a sign-in; an API key speaks for its holder in one space and sees no others. */
  listOwn({ userId, spaceId, credential }: UserPrincipal, query: PageDto): Promise<Page<PersonalApiKey>> {
    const only = credential.kind === 'access-token' ? null : spaceId;
    return this.listPersonal(this.database, { userId, spaceId: only }, query);
  }

  /** In one space, or in all of them. */
  async listPersonal(
    sql: Sql,
    holder: { userId: string; spaceId: string | null },
    { limit, cursor }: Pick<PageDto, 'limit' | 'cursor'>,
  ): Promise<Page<PersonalApiKey>> {
    const filter = { personalKeysOf: [holder.userId, holder.spaceId] };
    const keys = await listKeys(sql, holder, this.cursors.idAfter(cursor, filter), limit + 1);
    return this.cursors.page(keys, limit, filter, ({ id }) => [id], toPersonalKey);
  }

  /** A key that an API key creates ends with it at the latest. */
  create({ by, requestId }: AuditedCall, name: string, expires: string | null): Promise<CreatedApiKey> {
    const { spaceId, userId } = by;
    return this.database.transaction(async (tx) => {
      const latest = await lockCaller(tx, by);
      const expiresAt = parseInstant(expires) ?? latest;
      if (latest !== null && expiresAt !== null && expiresAt > latest) {
        throw invalid(
          `expiresAt must not be after ${latest.toISOString()}, when the API key of this call expires`,
        );
      }
      const past = await firstRow<{ past: boolean | null }>(
        tx,
        'select $1::timestamptz <= clock_timestamp() as past',
        [expiresAt],
      );
      if (past?.past) throw invalid('expiresAt must be in the future');
      const key = await this.identity.createApiKey(tx, { spaceId, userId, name, expiresAt });
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

  async revoke({ by, requestId }: AuditedCall, id: string): Promise<void> {
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
      if (!key) throw await missingOrForeign(tx, ApiKeyEntity, { id, revokedAt: IsNull() }, label);
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

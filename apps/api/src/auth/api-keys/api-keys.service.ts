import { Injectable } from '@nestjs/common';
import type { ApiKey, CreateApiKeyRequest, CreatedApiKey, Page, PersonalApiKey } from '@platform/contracts';
import { IsNull, type EntityManager } from 'typeorm';
import { Database } from '../../infra/database/database.ts';
import { updateRows } from '../../infra/database/entity-rows.ts';
import { invalid } from '../../infra/errors/app-error.ts';
import { Cursors } from '../../infra/requests/cursors.ts';
import type { PageDto } from '../../infra/requests/page.dto.ts';
import { ApiKeyEntity } from '../credentials/api-key.entity.ts';
import { keyPrefix, listKeys, toApiKey, toPersonalKey } from '../credentials/api-keys.store.ts';
import { recordAudit } from '../audit/audit.ts';
import { isPast } from '../credentials/credentials.store.ts';
import type { AuditedCall } from '../principals/caller.decorator.ts';
import { lockCaller } from '../credentials/caller-lock.store.ts';
import { IdentityService } from '../people/identity.service.ts';
import { parseInstant } from '../../infra/requests/instant.ts';
import type { UserPrincipal } from '../principals/principal.ts';
import { missingOrForeign, requireUuid } from '../principals/resource-scope.ts';

/** The API keys of a user. Nobody can see or revoke those of another user. */
@Injectable()
export class ApiKeysService {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly identity: IdentityService,
  ) {}

  async list({ spaceId, userId }: UserPrincipal, { limit, cursor }: PageDto): Promise<Page<ApiKey>> {
    const filter = { keysOf: [spaceId, userId] };
    const after = this.cursors.idAfter(cursor, filter);
    const keys = await listKeys(this.database.manager, { userId, spaceId }, after, limit + 1);
    return this.cursors.page(keys, limit, filter, ({ id }) => [id], toApiKey);
  }

  /** Lists the keys in all spaces, or for a call by API key, in the space of that key. */
  listOwn({ userId, spaceId, credential }: UserPrincipal, query: PageDto): Promise<Page<PersonalApiKey>> {
    const only = credential.kind === 'access-token' ? null : spaceId;
    return this.listPersonal(this.database.manager, { userId, spaceId: only }, query);
  }

  /** Lists the keys of a person in one space, or in all spaces. */
  async listPersonal(
    tx: EntityManager,
    holder: { userId: string; spaceId: string | null },
    { limit, cursor }: Pick<PageDto, 'limit' | 'cursor'>,
  ): Promise<Page<PersonalApiKey>> {
    const filter = { personalKeysOf: [holder.userId, holder.spaceId] };
    const keys = await listKeys(tx, holder, this.cursors.idAfter(cursor, filter), limit + 1);
    return this.cursors.page(keys, limit, filter, ({ id }) => [id], toPersonalKey);
  }

  create(
    { by, requestId }: AuditedCall,
    { name, scopes, expiresAt }: CreateApiKeyRequest,
  ): Promise<CreatedApiKey> {
    const { spaceId, userId } = by;
    return this.database.transaction(async (tx) => {
      const role = await lockCaller(tx, by);
      if (role !== 'ADMIN' && scopes.includes('administer'))
        throw invalid('scopes must not include administer: only admins of the space have that right');
      const expires = parseInstant(expiresAt ?? null);
      if (expires !== null && (await isPast(tx, expires))) throw invalid('expiresAt must be in the future');
      const key = await this.identity.createApiKey(tx, { spaceId, userId, name, scopes, expiresAt: expires });
      await recordAudit(tx, by, {
        action: 'api-key.create',
        targetType: 'api-key',
        targetId: key.id,
        details: { name, prefix: key.prefix, scopes, expiresAt: key.expiresAt },
        requestId,
      });
      return key;
    });
  }

  async revoke({ by, requestId }: AuditedCall, id: string): Promise<void> {
    const label = `API key ${id}`;
    requireUuid(id, label);
    await this.database.transaction(async (tx) => {
      const own = { spaceId: by.spaceId, userId: by.userId, id, revokedAt: IsNull() };
      const [key] = await updateRows(tx, ApiKeyEntity, own, { revokedAt: () => 'clock_timestamp()' });
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

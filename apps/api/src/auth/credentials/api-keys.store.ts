import type { ApiKey, PersonalApiKey } from '@platform/contracts';
import { In, IsNull, LessThan, type EntityManager } from 'typeorm';
import { updateRows } from '../../infra/database/entity-rows.ts';
import { invalid } from '../../infra/errors/app-error.ts';
import { ApiKeyEntity } from './api-key.entity.ts';
import { AuditEntryEntity } from '../audit/audit-entry.entity.ts';

/** The valid keys of a person in one space, or in every space, newest first. */
export function listKeys(
  tx: EntityManager,
  { userId, spaceId }: { userId: string; spaceId: string | null },
  before: string | null,
  limit: number,
): Promise<ApiKeyEntity[]> {
  const query = tx
    .createQueryBuilder(ApiKeyEntity, 'key')
    .innerJoinAndSelect('key.space', 'space')
    .where({ userId, revokedAt: IsNull() })
    .orderBy('key.id', 'DESC')
    .limit(limit);
  if (spaceId !== null) query.andWhere({ spaceId });
  if (before !== null) query.andWhere({ id: LessThan(before) });
  return query.getMany();
}

/**
 * Revokes all keys of a person, or the given ones, and records each in the audit log of its space. Returns how many.
 * A key that was already revoked is accepted; throws VALIDATION_ERROR for a key of another person.
 */
export async function revokePersonalKeys(
  tx: EntityManager,
  userId: string,
  which: string[] | 'all',
  requestId: string,
): Promise<number> {
  if (which !== 'all') await assertOwnKeys(tx, userId, which);
  if (which.length === 0) return 0;
  const revoked = await updateRows(
    tx,
    ApiKeyEntity,
    { userId, revokedAt: IsNull(), ...(which !== 'all' && { id: In(which) }) },
    { revokedAt: () => 'clock_timestamp()' },
  );
  await tx.insert(
    AuditEntryEntity,
    revoked.map((key) => ({
      spaceId: key.spaceId,
      actorUserId: userId,
      action: 'api-key.revoke',
      targetType: 'api-key',
      targetId: key.id,
      details: { name: key.name, prefix: keyPrefix(key.publicId) },
      requestId,
    })),
  );
  return revoked.length;
}

async function assertOwnKeys(tx: EntityManager, userId: string, ids: string[]): Promise<void> {
  const own = await tx.findBy(ApiKeyEntity, { id: In(ids), userId });
  const known = new Set(own.map(({ id }) => id));
  const foreign = ids.findIndex((id) => !known.has(id.toLowerCase()));
  if (foreign >= 0) throw invalid(`revokeApiKeys[${foreign}] must be the id of one of your API keys`);
}

/** The beginning of a key, which is not a secret. */
export function keyPrefix(publicId: string): string {
  return `pk_${publicId}`;
}

export function toApiKey(key: ApiKeyEntity): ApiKey {
  const { id, name, scopes, publicId, createdAt, expiresAt, lastUsedAt } = key;
  return {
    id,
    name,
    prefix: keyPrefix(publicId),
    scopes,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  };
}

export function toPersonalKey(key: ApiKeyEntity): PersonalApiKey {
  return { ...toApiKey(key), space: { id: key.space.id, name: key.space.name } };
}

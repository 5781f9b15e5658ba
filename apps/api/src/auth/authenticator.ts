import { Injectable } from '@nestjs/common';
import type { Role } from '@platform/contracts';
import { DataSource } from 'typeorm';
import { Batched } from '../infra/batched.ts';
import { parseKey, secretMatches, type KeyPrefix, type ParsedKey } from '../infra/crypto/api-tokens.ts';
import { firstRow, preparedRows, rows } from '../infra/database/rows.ts';
import { unauthorized } from '../infra/http/app-error.ts';
import { AccessTokens } from './access-tokens.ts';
import type { Principal, UserPrincipal } from './principal.ts';

interface KeyRow {
  publicId: string;
  id: string;
  secretHash: Buffer;
  spaceId: string;
  userId: string;
  role: Role;
  removed: boolean;
  revoked: boolean;
  expired: boolean;
  /** `last_used_at` is more than a minute old. */
  stale: boolean;
}

/** Finds out who a credential speaks for; asks the database each time, for rights may end at any moment. */
@Injectable()
export class Authenticator {
  private readonly apiKeys = new Batched((publicIds: string[]) => this.findApiKeys(publicIds));
  private readonly keyHolders: Record<KeyPrefix, (key: ParsedKey) => Promise<Principal>> = {
    pk: (key) => this.byApiKey(key),
    app: () => Promise.reject(unauthorized('This system key is not known')),
  };

  constructor(
    private readonly database: DataSource,
    private readonly accessTokens: AccessTokens,
  ) {}

  /** The principal of an `Authorization` header; 401 with the reason where it names nobody. */
  async authenticate(authorization: string | undefined): Promise<Principal> {
    const credential = bearerOf(authorization);
    if (!/^(pk|app)_/.test(credential)) return this.byAccessToken(credential);
    const key = parseKey(credential);
    if (!key) throw unauthorized('This key is not known');
    return this.keyHolders[key.prefix](key);
  }

  private async byApiKey({ publicId, secret }: ParsedKey): Promise<UserPrincipal> {
    const key = await this.apiKeys.get(publicId);
    if (!key || !secretMatches(secret, key.secretHash)) throw unauthorized('This API key is not known');
    if (key.removed) throw noMember();
    if (key.revoked) throw unauthorized('This API key was revoked');
    if (key.expired) throw unauthorized('This API key has expired');
    if (key.stale) await this.markUsed(key.id);
    const { id, userId, spaceId, role } = key;
    const credential = { kind: 'api-key', id } as const;
    return { kind: 'user', userId, spaceId, role, credential, causationRunId: null };
  }

  private async findApiKeys(publicIds: string[]): Promise<(KeyRow | undefined)[]> {
    const found = await preparedRows<KeyRow>(
      this.database,
      'auth.api-keys',
      `select k.public_id as "publicId", k.id, k.secret_hash as "secretHash", k.space_id as "spaceId",
         k.user_id as "userId", m.role, m.removed_at is not null as removed, k.revoked_at is not null as revoked,
         coalesce(k.expires_at <= clock_timestamp(), false) as expired,
         coalesce(k.last_used_at < clock_timestamp() - interval '1 minute', true) as stale
       from api_key k join membership m using (space_id, user_id)
       where k.public_id = any($1::text[])`,
      [publicIds],
    );
    const byId = new Map(found.map((key) => [key.publicId, key]));
    return publicIds.map((id) => byId.get(id));
  }

  private async byAccessToken(token: string): Promise<UserPrincipal> {
    const { userId, spaceId, joinedAt, refreshSessionId: id } = await this.accessTokens.verify(token);
    const holder = await firstRow<{ role: Role | null; revoked: boolean; passwordTemporary: boolean }>(
      this.database,
      `select m.role, s.revoked_at is not null as revoked, u.password_temporary as "passwordTemporary"
       from refresh_session s join platform_user u on u.id = s.user_id
       left join membership m on m.space_id = $3 and m.user_id = s.user_id and m.removed_at is null
         and ($4::timestamptz is null or m.created_at = $4)
       where s.id = $1 and s.user_id = $2`,
      [id, userId, spaceId, joinedAt === null ? null : new Date(joinedAt)],
    );
    if (holder?.role === null) throw noMember();
    if (!holder || holder.revoked) throw unauthorized('This sign-in has ended; sign in again');
    return {
      kind: 'user',
      userId,
      spaceId,
      role: holder.role,
      credential: { kind: 'access-token', id },
      causationRunId: null,
      ...(holder.passwordTemporary && { passwordTemporary: true }),
    };
  }

  private async markUsed(id: string): Promise<void> {
    await rows(
      this.database,
      `update api_key set last_used_at = clock_timestamp()
       where id = $1 and coalesce(last_used_at < clock_timestamp() - interval '1 minute', true)`,
      [id],
    );
  }
}

const noMember = () => unauthorized('The holder of this credential is no longer a member of the space');

/** The credential of a header; 401 where there is none. */
export function bearerOf(authorization: string | undefined): string {
  if (authorization === undefined || authorization.trim() === '') {
    throw unauthorized('A credential is missing: send Authorization: Bearer with an API key or access token');
  }
  const [, credential] = /^Bearer +(\S+)$/i.exec(authorization.trim()) ?? [];
  if (credential === undefined) throw unauthorized('Authorization must be Bearer followed by one credential');
  return credential;
}

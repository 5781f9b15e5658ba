import { Injectable } from '@nestjs/common';
import { Database } from '../../infra/database/database.ts';
import { Batched } from '../../infra/database/batched.ts';
import { parseKey, secretMatches, type KeyPrefix, type ParsedKey } from '../../infra/crypto/api-tokens.ts';
import { unauthorized } from '../../infra/errors/app-error.ts';
import { AccessTokens } from './access-tokens.ts';
import { findApiKeys, findSignIn, updateLastUsed } from './credentials.store.ts';
import { findGrants, updateGrantUse } from '../grants/oauth-grants.store.ts';
import { McpTokens } from './mcp-tokens.ts';
import type { ApplicationPrincipal, Principal, UserPrincipal } from '../principals/principal.ts';
import { findSystemKeys, updateSystemKeyLastUsed } from './system-keys.store.ts';

/** Finds the principal of a credential. Reads the database every time, because rights can end at any moment. */
@Injectable()
export class AuthenticatorService {
  private readonly apiKeys = new Batched((publicIds: string[]) => findApiKeys(this.database, publicIds));
  private readonly systemKeys = new Batched((publicIds: string[]) =>
    findSystemKeys(this.database, publicIds),
  );
  private readonly keyHolders: Record<KeyPrefix, (key: ParsedKey) => Promise<Principal>> = {
    pk: (key) => this.byApiKey(key),
    app: (key) => this.bySystemKey(key),
  };

  private readonly grants = new Batched((ids: string[]) => findGrants(this.database, ids));

  constructor(
    private readonly database: Database,
    private readonly accessTokens: AccessTokens,
    private readonly mcpTokens: McpTokens,
  ) {}

  /**
   * Returns the principal of an `Authorization` header. Throws UNAUTHORIZED with the reason if there is none. `mcpSpaceId`:
   * the space whose MCP server is called; the tokens of clients are valid there alone.
   */
  async authenticate(
    authorization: string | undefined,
    mcpSpaceId: string | null = null,
  ): Promise<Principal> {
    const credential = bearerOf(authorization);
    if (McpTokens.hasForm(credential)) return this.byMcpToken(credential, mcpSpaceId);
    if (!/^(pk|app)_/.test(credential)) return this.byAccessToken(credential);
    const key = parseKey(credential);
    if (!key) throw unauthorized('This key is not known');
    return this.keyHolders[key.prefix](key);
  }

  private async byApiKey({ publicId, secret }: ParsedKey): Promise<UserPrincipal> {
    const key = await this.apiKeys.get(publicId);
    if (!key || !secretMatches(secret, key.secretHash)) throw unauthorized('This API key is not known');
    if (key.isRemoved) throw noMember();
    if (key.isRevoked) throw unauthorized('This API key was revoked');
    if (key.isExpired) throw unauthorized('This API key has expired');
    if (key.isStale) await updateLastUsed(this.database, key.id);
    const { id, userId, spaceId, role, scopes } = key;
    const credential = { kind: 'api-key', id, scopes } as const;
    return { kind: 'user', userId, spaceId, role, credential, causationRunId: null };
  }

  /** A key of an application that is not installed is valid as well: the emission says that it is not installed. */
  private async bySystemKey({ publicId, secret }: ParsedKey): Promise<ApplicationPrincipal> {
    const key = await this.systemKeys.get(publicId);
    if (!key || !secretMatches(secret, key.secretHash)) throw unauthorized('This system key is not known');
    if (key.isRevoked)
      throw unauthorized('This system key was replaced or revoked, or the API key that made it has ended');
    if (key.isStale) await updateSystemKeyLastUsed(this.database, key.id);
    const { id, applicationId, identifier, spaceId, isInstalled } = key;
    const credential = { kind: 'system-key', id } as const;
    return {
      kind: 'application',
      applicationId,
      identifier,
      spaceId,
      isInstalled,
      credential,
      causationRunId: null,
    };
  }

  private async byMcpToken(token: string, spaceId: string | null): Promise<UserPrincipal> {
    if (spaceId === null)
      throw unauthorized('This access token is valid for the MCP server of a space alone');
    const grant = await this.grants.get(await this.mcpTokens.verify(token, spaceId));
    if (!grant || grant.spaceId !== spaceId) throw unauthorized('This access token is not known');
    if (grant.isRemoved) throw noMember();
    if (grant.isEnded) throw unauthorized('The permission of this client has ended; ask the person again');
    if (grant.isStale) await updateGrantUse(this.database, grant.id);
    const { id, userId, role, scopes } = grant;
    const credential = { kind: 'oauth', id, scopes } as const;
    return { kind: 'user', userId, spaceId, role, credential, causationRunId: null };
  }

  private async byAccessToken(token: string): Promise<UserPrincipal> {
    const claims = await this.accessTokens.verify(token);
    const signIn = await findSignIn(this.database, claims);
    if (signIn?.role === null) throw noMember();
    if (!signIn || signIn.isRevoked) throw unauthorized('This sign-in has ended; sign in again');
    return {
      kind: 'user',
      userId: claims.userId,
      spaceId: claims.spaceId,
      role: signIn.role,
      credential: { kind: 'access-token', id: claims.refreshSessionId },
      causationRunId: null,
      ...(signIn.passwordTemporary && { passwordTemporary: true }),
    };
  }
}

const noMember = () => unauthorized('The holder of this credential is no longer a member of the space');

/** Returns the credential of a header. Throws UNAUTHORIZED if there is none. */
export function bearerOf(authorization: string | undefined): string {
  if (authorization === undefined || authorization.trim() === '') {
    throw unauthorized('A credential is missing: send Authorization: Bearer with an API key or access token');
  }
  const [, credential] = /^Bearer +(\S+)$/i.exec(authorization.trim()) ?? [];
  if (credential === undefined) throw unauthorized('Authorization must be Bearer followed by one credential');
  return credential;
}

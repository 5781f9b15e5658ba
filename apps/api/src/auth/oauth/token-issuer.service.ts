import { createHash, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { OAuthTokens } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { hashSecret } from '../../infra/crypto/api-tokens.ts';
import { Database } from '../../infra/database/database.ts';
import { AppError, invalid } from '../../infra/errors/app-error.ts';
import { recordAudit } from '../audit/audit.ts';
import { formatToken, parseToken, type ParsedToken } from '../credentials/marked-tokens.ts';
import { MCP_TOKEN_SECONDS, McpTokens } from '../credentials/mcp-tokens.ts';
import { spaceOfAddress } from '../grants/mcp-address.ts';
import type { OAuthClientEntity } from '../grants/oauth-client.entity.ts';
import type { UserPrincipal } from '../principals/principal.ts';
import { isVerifier, type Parameters } from './authorization-request.ts';
import {
  lockGrant,
  revokeGrant,
  storeFirstToken,
  storeNextToken,
  type LockedGrant,
} from './authorizations.store.ts';
import { KnownClientsService } from './known-clients.service.ts';
import { OAuthSecrets } from './oauth-secrets.ts';

export type TokenParameters = Parameters<
  'grant_type' | 'client_id' | 'code' | 'redirect_uri' | 'code_verifier' | 'refresh_token' | 'resource'
>;

/** What becomes of a grant. It must be committed, also if the client then receives an error. */
type Outcome = { grant: LockedGrant; refreshToken: ParsedToken } | { refused: AppError };

/** Exchanges codes and refresh tokens for access tokens, and takes tokens back. */
@Injectable()
export class TokenIssuerService {
  private readonly publicUrl: string;

  constructor(
    private readonly database: Database,
    private readonly clients: KnownClientsService,
    private readonly secrets: OAuthSecrets,
    private readonly accessTokens: McpTokens,
    config: PlatformConfig,
  ) {
    this.publicUrl = config.publicUrl;
  }

  /** Returns tokens for a code or a refresh token. Throws errors with the words of RFC 6749. */
  async issue(parameters: TokenParameters, requestId: string): Promise<OAuthTokens> {
    const { grant_type: type } = parameters;
    if (type === undefined) throw invalid('grant_type is missing');
    if (type !== 'authorization_code' && type !== 'refresh_token')
      throw new AppError('VALIDATION_ERROR', 'grant_type must be authorization_code or refresh_token', {
        oauth: 'unsupported_grant_type',
      });
    const client = await this.clients.getKnown(parameters.client_id);
    const outcome = await this.database.transaction((tx) =>
      type === 'refresh_token'
        ? this.refresh(tx, client, parameters, requestId)
        : this.exchange(tx, client, parameters, requestId),
    );
    if ('refused' in outcome) throw outcome.refused;
    const { grant, refreshToken } = outcome;
    return {
      access_token: await this.accessTokens.issue(grant.spaceId, grant.userId, grant.id),
      token_type: 'Bearer',
      expires_in: MCP_TOKEN_SECONDS,
      refresh_token: formatToken(refreshToken),
      scope: grant.scopes.join(' '),
    };
  }

  /** Ends the grant of an access token or refresh token (RFC 7009). Says nothing about tokens that are not valid. */
  async revoke(
    { token, client_id: clientId }: Parameters<'token' | 'client_id'>,
    requestId: string,
  ): Promise<void> {
    if (token === undefined) throw invalid('token is missing');
    const client = await this.clients.getKnown(clientId);
    const id = await this.findGrantId(token);
    if (id === null) return;
    await this.database.transaction(async (tx) => {
      const grant = await lockGrant(tx, id);
      if (grant?.clientId === client.id) await this.end(tx, grant, 'revoked by the client', requestId);
    });
  }

  private async exchange(
    tx: EntityManager,
    client: OAuthClientEntity,
    { code, redirect_uri: redirectUri, code_verifier: verifier, resource }: TokenParameters,
    requestId: string,
  ): Promise<Outcome> {
    const presented = ownToken(this.secrets.codes, code);
    const grant = presented && (await lockGrant(tx, presented.id));
    if (!grant || !isHashOf(grant.codeHash, presented)) return refusal('The code is not known');
    if (grant.isExchanged) {
      // Someone else has the code as well, and nobody can tell who of the two was meant to.
      await this.end(tx, grant, 'the code was used twice', requestId);
      return refusal('The code was used before');
    }
    if (grant.isEnded) return refusal('The code has expired, or was revoked');
    if (grant.clientId !== client.id) return refusal('The code is that of another client');
    if (redirectUri !== undefined && redirectUri !== grant.redirectUri)
      return refusal('redirect_uri is not the one of the authorization request');
    if (!isVerifier(verifier) || challengeOf(verifier) !== grant.codeChallenge)
      return refusal('code_verifier does not fit the code_challenge');
    const wrong = this.targetRefusal(grant, resource);
    if (wrong) return wrong;
    const refreshToken = this.secrets.refreshTokens.create(grant.id);
    await storeFirstToken(tx, grant.id, hashSecret(refreshToken.secret));
    return { grant, refreshToken };
  }

  private async refresh(
    tx: EntityManager,
    client: OAuthClientEntity,
    { refresh_token: token, resource }: TokenParameters,
    requestId: string,
  ): Promise<Outcome> {
    const presented = ownToken(this.secrets.refreshTokens, token);
    const grant = presented && (await lockGrant(tx, presented.id));
    if (!grant) return refusal('The refresh token is not known');
    if (grant.clientId !== client.id) return refusal('The refresh token is that of another client');
    if (grant.isEnded) return refusal('The permission has ended: ask the person again');
    const isCurrent = isHashOf(grant.tokenHash, presented);
    if (!isCurrent && !(grant.isInGrace && isHashOf(grant.previousHash, presented))) {
      // Every token of ours was the current one, some time: this one was copied.
      await this.end(tx, grant, 'a refresh token was used twice', requestId);
      return refusal('The refresh token was used before');
    }
    const wrong = this.targetRefusal(grant, resource);
    if (wrong) return wrong;
    const refreshToken = this.secrets.refreshTokens.successorOf(presented);
    if (isCurrent) await storeNextToken(tx, grant.id, hashSecret(refreshToken.secret));
    return { grant, refreshToken };
  }

  private targetRefusal({ spaceId }: LockedGrant, resource: string | undefined): Outcome | null {
    if (resource === undefined || spaceOfAddress(this.publicUrl, resource) === spaceId) return null;
    return refusal('resource is not the one that the person allowed', 'invalid_target');
  }

  private async end(tx: EntityManager, grant: LockedGrant, reason: string, requestId: string): Promise<void> {
    const { id, spaceId, userId, role, clientName } = grant;
    if (!(await revokeGrant(tx, { id }))) return;
    const credential = { kind: 'oauth', id, scopes: grant.scopes } as const;
    const by: UserPrincipal = { kind: 'user', userId, spaceId, role, credential, causationRunId: null };
    await recordAudit(tx, by, {
      action: 'oauth-grant.revoke',
      targetType: 'oauth-grant',
      targetId: id,
      details: { client: clientName, userId, reason },
      requestId,
      // No person did it.
      anonymous: true,
    });
  }

  private async findGrantId(token: string): Promise<string | null> {
    if (McpTokens.hasForm(token)) return this.accessTokens.findGrant(token);
    return ownToken(this.secrets.refreshTokens, token)?.id ?? null;
  }
}

/** Reads a token that this service has made; anything else needs no query. */
function ownToken(tokens: OAuthSecrets['codes'], text: string | undefined): ParsedToken | null {
  const parsed = text === undefined ? null : parseToken(text);
  return parsed && tokens.isOurs(parsed) ? parsed : null;
}

function isHashOf(hash: Buffer | null, { secret }: ParsedToken): boolean {
  return hash !== null && timingSafeEqual(hash, hashSecret(secret));
}

const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url');

const refusal = (message: string, oauth = 'invalid_grant') => ({
  refused: new AppError('VALIDATION_ERROR', message, { oauth }),
});

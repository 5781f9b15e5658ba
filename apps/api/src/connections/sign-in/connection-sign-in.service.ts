import { createHash, randomBytes } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import type { AuthorizeConnectionRequest, SignInProblem } from '@platform/contracts';
import { parseCookie } from 'cookie';
import type { CookieOptions } from 'express';
import { IdentityService } from '../../auth/people/identity.service.ts';
import type { AuditedCall } from '../../auth/principals/caller.decorator.ts';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { SecretBox } from '../../infra/crypto/secret-box.ts';
import { Database } from '../../infra/database/database.ts';
import { AppError, invalid } from '../../infra/errors/app-error.ts';
import { assertMayOwn, ConnectingService } from '../accounts/connecting.service.ts';
import { OauthClientService } from '../providers/oauth-client.service.ts';
import { OAuthFailure } from '../providers/oauth-failure.ts';
import { clientOf } from '../providers/provider-definition.ts';
import { ConnectionSignInEntity } from '../records/connection-sign-in.entity.ts';
import { getConnection, getProvider } from '../records/connections.store.ts';
import { returnPathProblem, toLocation } from './return-path.ts';
import { takeSignIn, trimSignIns } from './sign-ins.store.ts';

const LIFETIME_MS = 600_000;
const MAX_PENDING = 20;
const MAX_QUERY_CHARS = 8_192;
const PATH = '/api/connections/callback';
const DEFAULT_PATH = '/connections';

interface SignInCookie {
  name: string;
  options: CookieOptions;
}

interface Ending {
  /** A page of the console. */
  location: string;
  cookie: SignInCookie | null;
}

/** Signs people in at providers, in their browsers. */
@Injectable()
export class ConnectionSignInService {
  private readonly logger = new Logger(ConnectionSignInService.name);

  constructor(
    private readonly database: Database,
    private readonly secrets: SecretBox,
    private readonly client: OauthClientService,
    private readonly connecting: ConnectingService,
    private readonly identity: IdentityService,
    private readonly config: PlatformConfig,
  ) {}

  /** Throws VALIDATION_ERROR for what a person cannot sign in to. */
  async begin(
    { by }: AuditedCall,
    request: AuthorizeConnectionRequest,
  ): Promise<{ url: string; cookie: SignInCookie & { value: string } }> {
    const { spaceId, userId } = by;
    const { providerId, connectionId = null, name = null } = request;
    const returnPath = request.returnPath ?? DEFAULT_PATH;
    const owner = request.owner ?? 'me';
    assertMayOwn(by, owner);
    const problem = returnPathProblem(returnPath, this.config.publicUrl);
    if (problem !== null) throw invalid(`returnPath ${problem}`);
    const { manager } = this.database;
    const provider = await getProvider(manager, spaceId, providerId);
    const { oauth } = provider;
    if (oauth === null || oauth.authorizationEndpoint === null)
      throw invalid(`Nobody can sign in to ${provider.name}: it takes a secret, POST /api/connections`);
    if (connectionId !== null) {
      const current = await getConnection(manager, by, connectionId);
      if (owner !== 'space' || current.ownerUserId !== null || current.providerId !== providerId)
        throw invalid('connectionId must be the id of a connection of the space with this provider');
    }
    const state = randomBytes(32).toString('base64url');
    const browser = randomBytes(32).toString('base64url');
    const { url, verifier, nonce } = await this.client.begin(provider, state);
    const stateHash = hashOf(state);
    await this.database.transaction(async (tx) => {
      await trimSignIns(tx, spaceId, userId, MAX_PENDING - 1);
      await tx.insert(ConnectionSignInEntity, {
        stateHash,
        browserHash: hashOf(browser),
        spaceId,
        providerId,
        client: clientOf(oauth),
        userId,
        sessionId: by.credential.id,
        connectionId,
        owner,
        name,
        verifier: this.secrets.seal(placeOf(spaceId, stateHash), verifier),
        nonce,
        returnPath,
        expiresAt: () => `clock_timestamp() + interval '${LIFETIME_MS} milliseconds'`,
      });
    });
    return { url, cookie: { ...this.cookieOf(stateHash), value: browser } };
  }

  /** Ends a sign-in with what the provider sent the browser back with. It leads to a page that says what came of it. */
  async finish(path: string, cookies: string, requestId: string): Promise<Ending> {
    const query = new URL(path, this.config.publicUrl).searchParams;
    const state = query.get('state') ?? '';
    const stateHash = hashOf(state);
    const cookie = this.cookieOf(stateHash);
    const browser = parseCookie(cookies)[cookie.name];
    // Without it, this is not the browser that began it: somebody else would be connected.
    const pending =
      browser === undefined || path.length > MAX_QUERY_CHARS
        ? null
        : await takeSignIn(this.database.manager, stateHash, hashOf(browser));
    if (pending === null)
      return { location: this.locationOf(DEFAULT_PATH, { problem: 'STATE' }), cookie: null };
    const outcome = await this.complete(pending, state, query, requestId);
    return { location: this.locationOf(pending.returnPath, outcome), cookie };
  }

  private async complete(
    pending: ConnectionSignInEntity,
    state: string,
    query: URLSearchParams,
    requestId: string,
  ): Promise<{ problem: SignInProblem; provider: string } | { connected: string }> {
    const { spaceId, userId, sessionId, providerId, owner, name, nonce, stateHash, connectionId } = pending;
    const failed = (problem: SignInProblem) => ({ problem, provider: providerId });
    try {
      const by = await this.identity.findPrincipal(spaceId, userId);
      const credential = { kind: 'access-token' as const, id: sessionId };
      const isSignedIn = by !== null && (await this.identity.isSignedIn({ ...by, credential }));
      if (!isSignedIn || (owner === 'space' && by.role !== 'ADMIN')) return failed('SESSION');
      const provider = await getProvider(this.database.manager, spaceId, providerId);
      if (provider.oauth === null || clientOf(provider.oauth) !== pending.client) return failed('GONE');
      const verifier = this.secrets.open(placeOf(spaceId, stateHash), pending.verifier);
      const tokens = await this.client.exchange(provider, query, { state, verifier, nonce });
      const granted = { kind: 'oauth2-code' as const, username: null, tokens };
      const connection = await this.connecting.store(
        { by, requestId },
        { provider, owner, name, tokens: granted, connectionId },
      );
      return { connected: connection.id };
    } catch (error) {
      if (error instanceof OAuthFailure) {
        this.logger.debug(
          { providerId, kind: error.kind, code: error.code },
          'A sign-in at a provider failed',
        );
        return failed(error.problem);
      }
      if (error instanceof AppError) return failed(error.code === 'FORBIDDEN' ? 'SESSION' : 'GONE');
      throw error;
    }
  }

  private locationOf(path: string, outcome: Record<string, string>): string {
    return toLocation(path, this.config.publicUrl, outcome);
  }

  /** Each sign-in has its own, so that two tabs do not end each other's. */
  private cookieOf(stateHash: Buffer): SignInCookie {
    const { publicUrl } = this.config;
    const base = new URL(publicUrl).pathname.replace(/\/$/, '');
    return {
      name: `platform_connect_${stateHash.toString('hex').slice(0, 16)}`,
      options: {
        httpOnly: true,
        sameSite: 'lax',
        path: `${base}${PATH}`,
        secure: publicUrl.startsWith('https:'),
        maxAge: LIFETIME_MS,
      },
    };
  }
}

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

const placeOf = (spaceId: string, stateHash: Buffer) => ({
  spaceId,
  recordId: stateHash.toString('hex'),
  field: 'connectionVerifier',
});

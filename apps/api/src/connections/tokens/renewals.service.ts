import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { SecretBox } from '../../infra/crypto/secret-box.ts';
import { Database } from '../../infra/database/database.ts';
import { whileUnavailable } from '../../infra/database/unavailable.ts';
import { failpoint } from '../../infra/runtime/failpoints.ts';
import { OauthClientService, type Tokens } from '../providers/oauth-client.service.ts';
import { OAuthFailure } from '../providers/oauth-failure.ts';
import { ConnectionProviderEntity } from '../records/connection-provider.entity.ts';
import { ConnectionEntity } from '../records/connection.entity.ts';
import {
  acquireRenewal,
  endGrant,
  isRenewing,
  postponeRenewal,
  storeRenewed,
  type RenewalLease,
  type SealedTokens,
} from '../records/leases.store.ts';

/** Longer than a provider may take, and the store after it. */
const LEASE_MS = 30_000;
/** How long a caller waits: a process that died with the lease is waited for, too. */
const WAIT_MS = LEASE_MS + 15_000;
const FIRST_POLL_MS = 25;
const LAST_POLL_MS = 500;
const STORE_MS = 15_000;

/**
 * Renews access tokens: one request for each connection in all processes. Who holds the lease of the row makes it, without
 * a transaction. In each other process one loop looks at the row for all its callers, and holds no connection while it
 * waits.
 */
@Injectable()
export class RenewalsService {
  private readonly logger = new Logger(RenewalsService.name);
  /** By connection and generation: the callers of this process share one attempt. */
  private readonly pending = new Map<string, Promise<void>>();

  constructor(
    private readonly database: Database,
    private readonly secrets: SecretBox,
    private readonly client: OauthClientService,
  ) {}

  /**
   * Resolves when the access token of that generation is no longer the current one, when its connection needs its owner, or
   * when it cannot be renewed now. The row says which.
   */
  renew(connectionId: string, generation: number): Promise<void> {
    const key = `${connectionId}:${generation}`;
    const pending = this.pending.get(key);
    if (pending !== undefined) return pending;
    const started = this.renewOnce(connectionId, generation).finally(() => this.pending.delete(key));
    this.pending.set(key, started);
    return started;
  }

  private async renewOnce(connectionId: string, generation: number): Promise<void> {
    const end = performance.now() + WAIT_MS;
    for (let pollMs = FIRST_POLL_MS; performance.now() < end; pollMs = Math.min(1.5 * pollMs, LAST_POLL_MS)) {
      const lease = await acquireRenewal(this.database, connectionId, generation, LEASE_MS);
      if (lease !== null) return this.request(lease);
      if (!(await isRenewing(this.database, connectionId, generation))) return;
      await delay(pollMs);
    }
  }

  /** Makes the request, and stores what came of it. Only who holds the lease can. */
  private async request(lease: RenewalLease): Promise<void> {
    const { connectionId: id, generation } = lease;
    // The provider comes first: if an admin moves it meanwhile, the connection is of another generation, and nothing is sent.
    const provider = await this.database.manager.findOneBy(ConnectionProviderEntity, {
      id: lease.providerId,
    });
    const connection = await this.database.manager.findOneBy(ConnectionEntity, { id, generation });
    if (connection === null || provider === null) return;
    const { spaceId } = connection;
    const refreshToken = this.open(connection, 'refreshToken', connection.refreshToken);
    if (connection.kind !== 'oauth2-client' && refreshToken === null)
      return this.store(() => endGrant(this.database, lease, 'TOKEN_EXPIRED'));
    try {
      const tokens =
        refreshToken === null
          ? await this.client.ownTokens(provider)
          : await this.client.refresh(provider, refreshToken);
      failpoint('connections.renewed', id);
      const sealed = this.seal({ spaceId, id }, tokens);
      if (!(await this.store(() => storeRenewed(this.database, lease, sealed))))
        await this.discard(lease, provider, tokens);
    } catch (error) {
      if (!(error instanceof OAuthFailure)) throw error;
      this.logger.debug({ connectionId: id, kind: error.kind, code: error.code }, 'A token was not renewed');
      await this.fail(lease, error);
    }
  }

  /** If the connection was revoked meanwhile, nobody else knows of these tokens. */
  private async discard(
    { connectionId: id }: RenewalLease,
    provider: ConnectionProviderEntity,
    { accessToken, refreshToken }: Tokens,
  ): Promise<void> {
    const isRevoked = await this.database.manager.existsBy(ConnectionEntity, { id, status: 'REVOKED' });
    if (!isRevoked || !provider.oauth?.revocationEndpoint) return;
    if (refreshToken !== null) await this.client.revoke(provider, refreshToken, 'refresh_token');
    await this.client.revoke(provider, accessToken, 'access_token');
  }

  private async fail(lease: RenewalLease, { kind }: OAuthFailure): Promise<void> {
    switch (kind) {
      case 'refused':
        // What the provider gave before never arrived, and it gives it only once.
        return this.store(() =>
          endGrant(this.database, lease, lease.isRepeated ? 'LOST_ANSWER' : 'GRANT_ENDED'),
        );
      case 'client':
        return this.store(() => postponeRenewal(this.database, lease, 'CLIENT_REFUSED', true));
      case 'unreachable':
      case 'invalid':
      case 'issuer':
        return this.store(() => postponeRenewal(this.database, lease, 'PROVIDER_DOWN', false));
    }
  }

  seal({ spaceId, id }: { spaceId: string; id: string }, tokens: Tokens): SealedTokens {
    const { accessToken, refreshToken, scopes, expiresInSeconds } = tokens;
    const place = (field: string) => ({ spaceId, recordId: id, field });
    return {
      secret: this.secrets.seal(place('secret'), accessToken),
      refreshToken: refreshToken === null ? null : this.secrets.seal(place('refreshToken'), refreshToken),
      scopes,
      expiresInSeconds,
    };
  }

  open(
    { spaceId, id }: { spaceId: string; id: string },
    field: 'secret' | 'refreshToken',
    sealed: string | null,
  ): string | null {
    return sealed === null ? null : this.secrets.open({ spaceId, recordId: id, field }, sealed);
  }

  /** The tokens exist nowhere else, so storing them is repeated. */
  private store<T>(work: () => Promise<T>): Promise<T> {
    return whileUnavailable(work, undefined, STORE_MS);
  }
}

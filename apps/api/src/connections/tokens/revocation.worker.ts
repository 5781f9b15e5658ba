import { Injectable, type OnModuleInit } from '@nestjs/common';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { ClaimWorker } from '../../infra/database/claim-worker.ts';
import { BackgroundDatabase } from '../../infra/database/database.ts';
import { SweeperWorker } from '../../infra/database/sweeper.worker.ts';
import { OauthClientService } from '../providers/oauth-client.service.ts';
import { OAuthFailure } from '../providers/oauth-failure.ts';
import { ConnectionProviderEntity } from '../records/connection-provider.entity.ts';
import { ConnectionEntity } from '../records/connection.entity.ts';
import { purgeRevoked } from '../records/connections.store.ts';
import { RenewalsService } from './renewals.service.ts';
import {
  claimRevocation,
  endRevocation,
  REVOCATIONS_DUE,
  type ClaimedRevocation,
} from './revocations.store.ts';

/** Each is one request. Many, because providers that do not answer hold theirs for ten seconds. */
const MAX_RUNNING = 8;
/** Over about two days. */
const MAX_ATTEMPTS = 12;

/** Revokes the tokens of revoked connections at the provider as well (RFC 7009), and erases them. */
@Injectable()
export class RevocationWorker extends ClaimWorker<ClaimedRevocation> implements OnModuleInit {
  constructor(
    config: PlatformConfig,
    database: BackgroundDatabase,
    private readonly client: OauthClientService,
    private readonly renewals: RenewalsService,
    private readonly sweeper: SweeperWorker,
  ) {
    super(config, database, {
      name: 'Revocations',
      maxRunning: MAX_RUNNING,
      waiting: REVOCATIONS_DUE,
      claim: claimRevocation,
    });
  }

  onModuleInit(): void {
    this.sweeper.register('revoked connections', (limit) => purgeRevoked(this.database, limit));
  }

  protected async execute(claimed: ClaimedRevocation): Promise<void> {
    try {
      if (claimed.attempts > MAX_ATTEMPTS || (await this.revoke(claimed)))
        await endRevocation(this.database, claimed.id);
    } catch (err) {
      this.logger.warn({ err, connectionId: claimed.id }, 'A connection was not revoked at its provider');
    }
  }

  /** Returns false if the provider did not respond: the claim ends by itself, and it is tried again. */
  private async revoke({ id, spaceId, providerId }: ClaimedRevocation): Promise<boolean> {
    // The provider comes first: if an admin moves it meanwhile, the tokens are gone, and nothing is sent.
    const provider = await this.database.manager.findOneByOrFail(ConnectionProviderEntity, {
      id: providerId,
    });
    const connection = await this.database.manager.findOneBy(ConnectionEntity, { id });
    if (connection === null || provider.oauth === null || provider.oauth.revocationEndpoint === null)
      return true;
    const { secret, refreshToken } = connection;
    const opened = {
      refresh_token: this.renewals.open({ spaceId, id }, 'refreshToken', refreshToken),
      access_token: this.renewals.open({ spaceId, id }, 'secret', secret),
    };
    for (const [hint, token] of Object.entries(opened)) {
      try {
        if (token !== null) await this.client.revoke(provider, token, hint);
      } catch (error) {
        if (!(error instanceof OAuthFailure)) throw error;
        this.logger.debug(
          { connectionId: id, kind: error.kind, code: error.code },
          'A token was not revoked',
        );
        if (error.kind === 'unreachable') return false;
      }
    }
    return true;
  }
}

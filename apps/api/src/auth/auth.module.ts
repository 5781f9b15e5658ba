import { Module, type OnModuleInit } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { Database } from '../infra/database/database.ts';
import { PlatformConfig } from '../infra/config/platform-config.ts';
import { deriveKey } from '../infra/crypto/derive-key.ts';
import { MINUTE, SweeperWorker } from '../infra/database/sweeper.worker.ts';
import { AccessGuard } from './principals/access.guard.ts';
import { AccessTokens } from './credentials/access-tokens.ts';
import { ApiKeysController } from './api-keys/api-keys.controller.ts';
import { ApiKeysService } from './api-keys/api-keys.service.ts';
import { ApplicationIdentitiesService } from './applications/application-identities.service.ts';
import { AuditController } from './audit/audit.controller.ts';
import { AuditService } from './audit/audit.service.ts';
import { AuthController } from './sign-in/auth.controller.ts';
import { AuthenticatorService } from './credentials/authenticator.service.ts';
import { CausationTokens } from './credentials/causation.ts';
import { IdentityService } from './people/identity.service.ts';
import { InvitationsController, ReceivedInvitationsController } from './people/invitations.controller.ts';
import { InvitationsService } from './people/invitations.service.ts';
import { purgeEntries } from './audit/audit.store.ts';
import { purgeEndedInvitations } from './people/invitations.store.ts';
import { MemberRemovalsRegistry } from './people/member-removals.registry.ts';
import { MembersController } from './people/members.controller.ts';
import { MembersService } from './people/members.service.ts';
import { McpTokens } from './credentials/mcp-tokens.ts';
import { ConsentsService } from './oauth/consents.service.ts';
import { KnownClientsService } from './oauth/known-clients.service.ts';
import { OAuthConsentController } from './oauth/oauth-consent.controller.ts';
import { ClientGrantsService } from './oauth/client-grants.service.ts';
import { OAuthMetadataController } from './oauth/oauth-metadata.controller.ts';
import { OAuthSecrets } from './oauth/oauth-secrets.ts';
import { OAuthThrottle } from './oauth/oauth-throttle.ts';
import { TokenIssuerService } from './oauth/token-issuer.service.ts';
import { OAuthController } from './oauth/oauth.controller.ts';
import { purgeEndedGrants, purgeUnusedClients } from './grants/oauth-grants.store.ts';
import { OpenResponsesRegistry } from './credentials/open-responses.registry.ts';
import { PasswordService } from './sign-in/password.service.ts';
import { RefreshCookieService } from './sign-in/refresh-cookie.service.ts';
import { RefreshSessions } from './credentials/refresh-sessions.ts';
import { purgeEndedSessions } from './credentials/refresh-sessions.store.ts';
import { RateLimits } from './limits/rate-limits.ts';
import { purgePastWindows } from './limits/rate-windows.store.ts';
import { SignInService } from './sign-in/sign-in.service.ts';
import { SignInThrottle } from './limits/sign-in-throttle.ts';
import { SpacesController } from './people/spaces.controller.ts';
import { SpacesService } from './people/spaces.service.ts';

/** Who is calling, and who may; the only module that registers guards for all routes. */
@Module({
  controllers: [
    AuthController,
    SpacesController,
    MembersController,
    InvitationsController,
    ReceivedInvitationsController,
    ApiKeysController,
    AuditController,
    OAuthController,
    OAuthConsentController,
    OAuthMetadataController,
  ],
  providers: [
    { provide: APP_GUARD, useClass: AccessGuard },
    {
      provide: AccessTokens,
      inject: [PlatformConfig],
      useFactory: (config: PlatformConfig) => new AccessTokens(config.secretKey),
    },
    {
      provide: McpTokens,
      inject: [PlatformConfig],
      useFactory: (config: PlatformConfig) => new McpTokens(config.secretKey, config.publicUrl),
    },
    {
      provide: OAuthSecrets,
      inject: [PlatformConfig],
      useFactory: (config: PlatformConfig) => new OAuthSecrets(config.secretKey),
    },
    {
      provide: OAuthThrottle,
      inject: [Database, PlatformConfig],
      useFactory: (database: Database, config: PlatformConfig) =>
        new OAuthThrottle(database, deriveKey(config.secretKey, 'rate windows')),
    },
    {
      provide: CausationTokens,
      inject: [PlatformConfig],
      useFactory: (config: PlatformConfig) => new CausationTokens(config.secretKey),
    },
    {
      provide: RefreshSessions,
      inject: [PlatformConfig],
      useFactory: (config: PlatformConfig) => new RefreshSessions(config.secretKey),
    },
    {
      provide: SignInThrottle,
      inject: [Database, PlatformConfig],
      useFactory: (database: Database, config: PlatformConfig) =>
        new SignInThrottle(database, deriveKey(config.secretKey, 'rate windows')),
    },
    {
      provide: RateLimits,
      inject: [PlatformConfig],
      useFactory: (config: PlatformConfig) => new RateLimits(config.rateLimit, config.emissionLimit),
    },
    RefreshCookieService,
    AuthenticatorService,
    IdentityService,
    ApplicationIdentitiesService,
    OpenResponsesRegistry,
    SignInService,
    PasswordService,
    SpacesService,
    MemberRemovalsRegistry,
    MembersService,
    InvitationsService,
    ApiKeysService,
    AuditService,
    KnownClientsService,
    ConsentsService,
    TokenIssuerService,
    ClientGrantsService,
  ],
  exports: [
    ApplicationIdentitiesService,
    CausationTokens,
    IdentityService,
    MemberRemovalsRegistry,
    OpenResponsesRegistry,
    RateLimits,
  ],
})
export class AuthModule implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly sweeper: SweeperWorker,
    private readonly config: PlatformConfig,
  ) {}

  onModuleInit(): void {
    this.sweeper.register('refresh sessions', (limit) => purgeEndedSessions(this.database, limit));
    this.sweeper.register('rate windows', (limit) => purgePastWindows(this.database, limit), 10 * MINUTE);
    const { eventRetentionDays: days } = this.config;
    this.sweeper.register('audit of runs', (limit) => purgeEntries(this.database, days, limit));
    this.sweeper.register('oauth grants', (limit) => purgeEndedGrants(this.database, limit));
    this.sweeper.register('oauth clients', (limit) => purgeUnusedClients(this.database, limit));
    this.sweeper.register('invitations', (limit) => purgeEndedInvitations(this.database, limit));
  }
}

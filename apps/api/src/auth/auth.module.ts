import { Module, type OnModuleInit } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { DataSource } from 'typeorm';
import { PlatformConfig } from '../infra/config/platform-config.ts';
import { deriveKey } from '../infra/crypto/derive-key.ts';
import { MINUTE, Sweeper } from '../infra/sweeper.ts';
import { AccessGuard } from './access.guard.ts';
import { AccessTokens } from './access-tokens.ts';
import { ApiKeysController } from './api-keys.controller.ts';
import { ApiKeysService } from './api-keys.service.ts';
import { ApplicationIdentities } from './application-identities.ts';
import { AuditController } from './audit.controller.ts';
import { AuditService } from './audit.service.ts';
import { AuthController } from './auth.controller.ts';
import { Authenticator } from './authenticator.ts';
import { CausationTokens } from './causation.ts';
import { IdentityService } from './identity.service.ts';
import { InvitationsController, ReceivedInvitationsController } from './invitations.controller.ts';
import { InvitationsService } from './invitations.service.ts';
import { purgeEndedInvitations } from './invitations.store.ts';
import { MemberRemovals } from './member-removals.ts';
import { MembersController } from './members.controller.ts';
import { MembersService } from './members.service.ts';
import { OpenResponses } from './open-responses.ts';
import { PasswordService } from './password.service.ts';
import { RefreshCookie } from './refresh-cookie.ts';
import { RefreshSessions } from './refresh-sessions.ts';
import { purgeEndedSessions } from './refresh-sessions.store.ts';
import { purgePastWindows } from './rate-windows.store.ts';
import { SignInService } from './sign-in.service.ts';
import { SignInThrottle } from './sign-in-throttle.ts';
import { SpacesController } from './spaces.controller.ts';
import { SpacesService } from './spaces.service.ts';

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
  ],
  providers: [
    { provide: APP_GUARD, useClass: AccessGuard },
    {
      provide: AccessTokens,
      inject: [PlatformConfig],
      useFactory: (config: PlatformConfig) => new AccessTokens(config.secretKey),
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
      inject: [DataSource, PlatformConfig],
      useFactory: (database: DataSource, config: PlatformConfig) =>
        new SignInThrottle(database, deriveKey(config.secretKey, 'rate windows')),
    },
    RefreshCookie,
    Authenticator,
    IdentityService,
    ApplicationIdentities,
    OpenResponses,
    SignInService,
    PasswordService,
    SpacesService,
    MemberRemovals,
    MembersService,
    InvitationsService,
    ApiKeysService,
    AuditService,
  ],
  exports: [ApplicationIdentities, CausationTokens, IdentityService, MemberRemovals, OpenResponses],
})
export class AuthModule implements OnModuleInit {
  constructor(
    private readonly database: DataSource,
    private readonly sweeper: Sweeper,
  ) {}

  onModuleInit(): void {
    this.sweeper.register('refresh sessions', (limit) => purgeEndedSessions(this.database, limit));
    this.sweeper.register('rate windows', (limit) => purgePastWindows(this.database, limit), 10 * MINUTE);
    this.sweeper.register('invitations', (limit) => purgeEndedInvitations(this.database, limit));
  }
}

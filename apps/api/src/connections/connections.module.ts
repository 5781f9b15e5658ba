import { Module, type OnModuleInit } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.ts';
import { Database } from '../infra/database/database.ts';
import { SweeperWorker } from '../infra/database/sweeper.worker.ts';
import { ConnectingService } from './accounts/connecting.service.ts';
import { ConnectionTestsService } from './accounts/connection-tests.service.ts';
import { ConnectionsController } from './accounts/connections.controller.ts';
import { ConnectionsService } from './accounts/connections.service.ts';
import { DiscoveryService } from './providers/discovery.service.ts';
import { OauthClientService } from './providers/oauth-client.service.ts';
import { ProvidersController } from './providers/providers.controller.ts';
import { ProvidersService } from './providers/providers.service.ts';
import { ConnectionObserversRegistry } from './records/connection-observers.registry.ts';
import { ConnectionUsersRegistry } from './records/connection-users.registry.ts';
import { ConnectionSignInController } from './sign-in/sign-in.controller.ts';
import { ConnectionSignInService } from './sign-in/connection-sign-in.service.ts';
import { purgeSignIns } from './sign-in/sign-ins.store.ts';
import { ConnectionTokensService } from './tokens/connection-tokens.service.ts';
import { RenewalsService } from './tokens/renewals.service.ts';
import { RevocationWorker } from './tokens/revocation.worker.ts';

@Module({
  imports: [AuthModule],
  // Their literal routes come before `connections/:id`.
  controllers: [ProvidersController, ConnectionSignInController, ConnectionsController],
  providers: [
    ConnectingService,
    ConnectionObserversRegistry,
    ConnectionSignInService,
    ConnectionTestsService,
    ConnectionTokensService,
    ConnectionUsersRegistry,
    ConnectionsService,
    DiscoveryService,
    OauthClientService,
    ProvidersService,
    RenewalsService,
    RevocationWorker,
  ],
  exports: [
    ConnectionObserversRegistry,
    ConnectionTokensService,
    ConnectionUsersRegistry,
    ConnectionsService,
  ],
})
export class ConnectionsModule implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly sweeper: SweeperWorker,
  ) {}

  onModuleInit(): void {
    this.sweeper.register('connection sign-ins', (limit) => purgeSignIns(this.database, limit));
  }
}

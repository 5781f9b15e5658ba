import { Module, type DynamicModule } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { PlatformConfig } from './config/platform-config.ts';
import { deriveKey } from './crypto/derive-key.ts';
import { ChangeSourcesRegistry } from './changes/change-sources.registry.ts';
import { FactsService } from './facts/facts.service.ts';
import { SecretBox } from './crypto/secret-box.ts';
import { HealthController } from './health/health.controller.ts';
import { ReadinessRegistry } from './health/readiness.registry.ts';
import { Cursors } from './requests/cursors.ts';
import { GuardedHttp } from './outgoing/guarded-http.ts';
import { MetricsRegistry } from './metrics/metrics.registry.ts';
import { OwnAddressRegistry } from './outgoing/own-address.registry.ts';
import { QueueVacuumWorker } from './queues/queue-vacuum.worker.ts';
import { RouteTableRegistry } from './routes/route-table.registry.ts';
import { SweeperWorker } from './database/sweeper.worker.ts';

/** Infrastructure for all modules, without knowledge of the domain. */
@Module({})
export class InfraModule {
  static with(config: PlatformConfig): DynamicModule {
    const shared = [
      { provide: PlatformConfig, useValue: config },
      { provide: SecretBox, useValue: new SecretBox(config.secretKey) },
      { provide: Cursors, useValue: new Cursors(deriveKey(config.secretKey, 'cursors')) },
      { provide: GuardedHttp, useValue: new GuardedHttp({ allowPrivate: config.allowedPrivateHosts }) },
      ChangeSourcesRegistry,
      FactsService,
      MetricsRegistry,
      OwnAddressRegistry,
      QueueVacuumWorker,
      ReadinessRegistry,
      RouteTableRegistry,
      SweeperWorker,
    ];
    return {
      module: InfraModule,
      global: true,
      imports: [DiscoveryModule],
      controllers: [HealthController],
      providers: shared,
      exports: [
        PlatformConfig,
        SecretBox,
        ChangeSourcesRegistry,
        Cursors,
        FactsService,
        GuardedHttp,
        MetricsRegistry,
        OwnAddressRegistry,
        QueueVacuumWorker,
        ReadinessRegistry,
        RouteTableRegistry,
        SweeperWorker,
      ],
    };
  }
}

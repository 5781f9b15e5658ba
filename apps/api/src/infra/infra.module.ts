import { Module, type DynamicModule } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { PlatformConfig } from './config/platform-config.ts';
import { deriveKey } from './crypto/derive-key.ts';
import { SecretBox } from './crypto/secret-box.ts';
import { HealthController } from './health/health.controller.ts';
import { Readiness } from './health/readiness.ts';
import { Cursors } from './http/cursors.ts';
import { GuardedHttp } from './http/guarded-http.ts';
import { OwnAddress } from './http/own-address.ts';
import { RouteTable } from './http/route-table.ts';
import { Sweeper } from './sweeper.ts';

/** Infrastructure for all modules, without knowledge of the domain. */
@Module({})
export class InfraModule {
  static with(config: PlatformConfig): DynamicModule {
    const shared = [
      { provide: PlatformConfig, useValue: config },
      { provide: SecretBox, useValue: new SecretBox(config.secretKey) },
      { provide: Cursors, useValue: new Cursors(deriveKey(config.secretKey, 'cursors')) },
      { provide: GuardedHttp, useValue: new GuardedHttp({ allowPrivate: config.allowedPrivateHosts }) },
      OwnAddress,
      Readiness,
      RouteTable,
      Sweeper,
    ];
    return {
      module: InfraModule,
      global: true,
      imports: [DiscoveryModule],
      controllers: [HealthController],
      providers: shared,
      exports: [PlatformConfig, SecretBox, Cursors, GuardedHttp, OwnAddress, Readiness, RouteTable, Sweeper],
    };
  }
}

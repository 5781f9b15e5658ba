import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { HealthController } from './health/health.controller.ts';
import { Readiness } from './health/readiness.ts';
import { RouteTable } from './http/route-table.ts';

/** What every module stands on and that has no words of the domain. */
@Global()
@Module({
  imports: [DiscoveryModule],
  controllers: [HealthController],
  providers: [Readiness, RouteTable],
  exports: [Readiness, RouteTable],
})
export class InfraModule {}

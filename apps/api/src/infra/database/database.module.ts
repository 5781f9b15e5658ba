import { Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { DataSourceOptions } from 'typeorm';
import { PlatformConfig } from '../config/platform-config.ts';
import { BackgroundDatabase } from './background-database.ts';
import { LanesRegistry } from './lanes.registry.ts';
import { PartitionsWorker } from './partitions.worker.ts';
import { dataSourceOptions } from './pools.ts';
import { SnakeNaming } from './snake-naming.ts';

type Entities = NonNullable<DataSourceOptions['entities']>;

/** The pools of the service. Migrations define the schema; entities describe it. */
@Module({})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(private readonly background: BackgroundDatabase) {}

  static with(entities: Entities): DynamicModule {
    const mapping = { entities, namingStrategy: new SnakeNaming() };
    return {
      module: DatabaseModule,
      global: true,
      imports: [
        TypeOrmModule.forRootAsync({
          inject: [PlatformConfig],
          useFactory: (config: PlatformConfig) => ({
            ...dataSourceOptions('api', config),
            ...mapping,
            retryAttempts: 1,
          }),
        }),
      ],
      providers: [
        LanesRegistry,
        PartitionsWorker,
        {
          provide: BackgroundDatabase,
          inject: [PlatformConfig],
          useFactory: (config: PlatformConfig) =>
            new BackgroundDatabase({ ...dataSourceOptions('background', config), ...mapping }).initialize(),
        },
      ],
      exports: [BackgroundDatabase, LanesRegistry, PartitionsWorker],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.background.destroy();
  }
}

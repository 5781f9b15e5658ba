import { Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { PlatformConfig } from '../config/platform-config.ts';
import { BackgroundDatabase, Database } from './database.ts';
import { PartitionsWorker } from './partitions.worker.ts';
import { poolOptions, type PoolOptions } from './pools.ts';
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
            ...poolOptions('api', config),
            ...mapping,
            retryAttempts: 1,
          }),
          dataSourceFactory: (options) => new Database(options as PoolOptions).initialize(),
        }),
      ],
      providers: [
        PartitionsWorker,
        { provide: Database, useExisting: DataSource },
        {
          provide: BackgroundDatabase,
          inject: [PlatformConfig],
          useFactory: (config: PlatformConfig) =>
            new BackgroundDatabase({ ...poolOptions('background', config), ...mapping }).initialize(),
        },
      ],
      exports: [Database, BackgroundDatabase, PartitionsWorker],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.background.destroy();
  }
}

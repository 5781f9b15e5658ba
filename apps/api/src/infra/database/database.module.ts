import { Global, Module, type OnApplicationShutdown } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { PlatformConfig } from '../config/platform-config.ts';
import { BackgroundDatabase } from './background-database.ts';
import { Lanes } from './lanes.ts';
import { dataSourceOptions } from './pools.ts';

/** The pools of the service; the schema comes from the migrations alone. */
@Global()
@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      inject: [PlatformConfig],
      useFactory: (config: PlatformConfig) => ({
        ...dataSourceOptions('api', config),
        autoLoadEntities: true,
        retryAttempts: 1,
      }),
    }),
  ],
  providers: [
    Lanes,
    {
      provide: BackgroundDatabase,
      inject: [PlatformConfig],
      useFactory: (config: PlatformConfig) =>
        new BackgroundDatabase(dataSourceOptions('background', config)).initialize(),
    },
  ],
  exports: [BackgroundDatabase, Lanes],
})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(private readonly background: BackgroundDatabase) {}

  async onApplicationShutdown(): Promise<void> {
    await this.background.destroy();
  }
}

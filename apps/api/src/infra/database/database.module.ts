import { Global, Module, type OnApplicationShutdown } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { PlatformConfig } from '../config/platform-config.ts';
import { dataSourceOptions } from './pools.ts';

/** The database for what nobody waits for: it works on while callers use up the connections of `DataSource`. */
export class BackgroundDatabase extends DataSource {}

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
    {
      provide: BackgroundDatabase,
      inject: [PlatformConfig],
      useFactory: (config: PlatformConfig) =>
        new BackgroundDatabase(dataSourceOptions('background', config)).initialize(),
    },
  ],
  exports: [BackgroundDatabase],
})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(private readonly background: BackgroundDatabase) {}

  async onApplicationShutdown(): Promise<void> {
    await this.background.destroy();
  }
}

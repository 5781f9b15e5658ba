import { TypeOrmModule } from '@nestjs/typeorm';
import { PlatformConfig } from '../config/platform-config.ts';

/** The pool of the service; the schema comes from the migrations alone. */
export const DatabaseModule = TypeOrmModule.forRootAsync({
  inject: [PlatformConfig],
  useFactory: (config: PlatformConfig) => ({
    type: 'postgres' as const,
    url: config.databaseUrl,
    autoLoadEntities: true,
    synchronize: false,
    installExtensions: false,
    poolSize: 10,
    retryAttempts: 1,
    // Without a limit, a query that forgot its transaction would wait for ever on an exhausted pool.
    extra: { connectionTimeoutMillis: 5_000, application_name: 'platform' },
  }),
});

import { LoggerModule } from 'nestjs-pino';
import { PlatformConfig } from './config/platform-config.ts';

/** Structured logs; calls are logged by request-log.ts, so pino's own request logging stays off. */
export const LoggingModule = LoggerModule.forRootAsync({
  inject: [PlatformConfig],
  useFactory: (config: PlatformConfig) => ({
    forRoutes: [],
    pinoHttp: { level: config.logLevel, autoLogging: false },
  }),
});

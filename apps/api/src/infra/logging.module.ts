import { LoggerModule } from 'nestjs-pino';
import type { Options } from 'pino-http';
import { PlatformConfig } from './config/platform-config.ts';
import { loggedFields, loggedLine } from './log-lines.ts';

/** How every line of the log is made. */
export function logOptions(level: string): Options {
  return {
    level,
    autoLogging: false,
    // What is an error has been made safe by then; the standard serializer would rename it.
    serializers: { err: (told: unknown) => told },
    wrapSerializers: false,
    formatters: { log: loggedFields },
    hooks: { streamWrite: loggedLine },
  };
}

/** Structured logs; calls are logged by request-log.ts, so pino's own request logging stays off. */
export const LoggingModule = LoggerModule.forRootAsync({
  inject: [PlatformConfig],
  useFactory: (config: PlatformConfig) => ({ forRoutes: [], pinoHttp: logOptions(config.logLevel) }),
});

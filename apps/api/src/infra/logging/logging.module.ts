import { LoggerModule } from 'nestjs-pino';
import type { Options } from 'pino-http';
import { PlatformConfig } from '../config/platform-config.ts';
import { loggedFields, loggedLine } from './log-lines.ts';

/** The format of log lines. */
export function logOptions(level: string): Options {
  return {
    level,
    autoLogging: false,
    // Errors are already sanitized; the standard serializer would rename them.
    serializers: { err: (error: unknown) => error },
    wrapSerializers: false,
    formatters: { log: loggedFields },
    hooks: { streamWrite: loggedLine },
  };
}

/** Structured logs. `request-log.ts` logs calls, so pino's own request logging is off. */
export const LoggingModule = LoggerModule.forRootAsync({
  inject: [PlatformConfig],
  useFactory: (config: PlatformConfig) => ({ forRoutes: [], pinoHttp: logOptions(config.logLevel) }),
});

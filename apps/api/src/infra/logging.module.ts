import type { IncomingMessage } from 'node:http';
import { LoggerModule } from 'nestjs-pino';
import { PlatformConfig } from './config/platform-config.ts';

/** Structured logs of calls and faults; never of headers, bodies, prompts or answers. */
export const LoggingModule = LoggerModule.forRootAsync({
  inject: [PlatformConfig],
  useFactory: (config: PlatformConfig) => ({
    pinoHttp: {
      level: config.logLevel,
      genReqId: (req: IncomingMessage & { requestId?: string }) => req.requestId ?? '',
      autoLogging: { ignore: (req: IncomingMessage) => !(req.url ?? '').startsWith('/api') || (req.url ?? '').startsWith('/api/health') },
      customLogLevel: (_req, res, error) => (error || res.statusCode >= 500 ? 'error' : 'info'),
      serializers: {
        req: (req: { id: string; method: string; url: string }) => ({ id: req.id, method: req.method, path: req.url.split('?')[0] }),
        res: (res: { statusCode: number }) => ({ status: res.statusCode }),
      },
    },
  }),
});

import type { INestApplicationContext } from '@nestjs/common';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { PlatformConfig } from '../config/platform-config.ts';
import { hashSecret, secretMatches } from '../crypto/api-tokens.ts';
import { AppError } from '../errors/app-error.ts';
import { sendError } from '../errors/error.filter.ts';
import { RouteTableRegistry } from '../routes/route-table.registry.ts';
import { requestSeconds } from './measures.ts';
import { MetricsRegistry } from './metrics.registry.ts';

const PATH = '/metrics';

/** Measures requests, and serves what was measured to whoever has the token. Null unless there is one. */
export function serveMetrics(app: INestApplicationContext): RequestHandler | null {
  const { metricsToken } = app.get(PlatformConfig);
  if (metricsToken === null) return null;
  const metrics = app.get(MetricsRegistry);
  const routes = app.get(RouteTableRegistry);
  const tokenHash = hashSecret(metricsToken);

  async function serve(req: Request, res: Response): Promise<void> {
    const [, token = ''] = /^Bearer +(\S+)$/i.exec(req.get('Authorization') ?? '') ?? [];
    if (!secretMatches(token, tokenHash)) {
      res.setHeader('WWW-Authenticate', 'Bearer');
      throw new AppError('UNAUTHORIZED', 'Metrics require the token of PLATFORM_METRICS_TOKEN');
    }
    const text = await metrics.render();
    res.setHeader('Cache-Control', 'no-store').type(metrics.contentType).send(text);
  }

  return (req: Request, res: Response, next: NextFunction) => {
    if (req.path === PATH && req.method === 'GET') {
      serve(req, res).catch((error: unknown) => sendError(error, req, res));
      return;
    }
    const end = requestSeconds.startTimer();
    const { method } = req;
    const route = routes.of(req)?.path ?? 'other';
    res.once('close', () => end({ method, route, status: res.headersSent ? res.statusCode : 'unsent' }));
    next();
  };
}

import type { INestApplicationContext } from '@nestjs/common';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { PlatformConfig } from '../infra/config/platform-config.ts';
import { AppError } from '../infra/http/app-error.ts';
import { answerError } from '../infra/http/error.filter.ts';
import { RouteTable } from '../infra/http/route-table.ts';
import { Authenticator } from './authenticator.ts';
import { SlidingWindow } from './sliding-window.ts';

// Routes match in any case, so the gate must too.
const GUARDED = /^\/(api|models)(\/|$)/i;
/** The documentation is served beside the controllers. */
const DOCUMENTATION = /^\/api\/(docs(\/.*)?|openapi\.json)$/;
const MINUTE_MS = 60_000;

/**
 * Finds out who is calling before anything of the body is read, and turns away whom nobody knows.
 * Public routes ask for no credential, so a wrong one is no obstacle there.
 */
export function authentication(app: INestApplicationContext): RequestHandler {
  const authenticator = app.get(Authenticator);
  const routes = app.get(RouteTable);
  const rate = new SlidingWindow({ limit: app.get(PlatformConfig).rateLimit, windowMs: MINUTE_MS });

  function isOpen(req: Request): boolean {
    if (!GUARDED.test(req.path) || req.method === 'OPTIONS' || DOCUMENTATION.test(req.path)) return true;
    return routes.isPublic(req.method === 'HEAD' ? 'GET' : req.method, req.path);
  }

  async function admit(req: Request): Promise<void> {
    const principal = await authenticator.authenticate(req.get('Authorization'));
    const wait = rate.hit(principal.credential.id);
    if (wait !== null) {
      throw new AppError('RATE_LIMITED', 'Too many requests with this credential', { retryAfter: wait });
    }
    req.principal = principal;
  }

  return (req: Request, res: Response, next: NextFunction) => {
    if (isOpen(req)) {
      next();
      return;
    }
    admit(req).then(
      () => next(),
      (error: unknown) => {
        if (error instanceof AppError && error.code === 'UNAUTHORIZED')
          res.setHeader('WWW-Authenticate', 'Bearer');
        answerError(error, req, res);
      },
    );
  };
}

import { Logger, type INestApplicationContext } from '@nestjs/common';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { AppError } from '../../infra/errors/app-error.ts';
import { sendNow } from '../../infra/errors/error.filter.ts';
import { liftBodyDeadline } from '../../infra/requests/read-timeout.ts';
import { RouteTableRegistry } from '../../infra/routes/route-table.registry.ts';
import { AuthenticatorService } from './authenticator.service.ts';
import { CAUSATION_HEADER, CausationTokens } from './causation.ts';
import type { Principal } from '../principals/principal.ts';
import { RateLimits } from '../limits/rate-limits.ts';

// Routes match in upper and lower case, so this must too.
const GUARDED = /^\/(api|models)(\/|$)/i;
/** The documentation is public and is not served by a controller. */
const DOCUMENTATION = /^\/api\/(docs(\/.*)?|openapi\.json)$/;

/**
 * Authenticates the caller before the body is read, and refuses unknown callers. If the key was valid at its last use, the
 * body is read while the key is verified again, and the access guard awaits the result (`req.verified`). Public routes need
 * no credential, so an invalid one does not matter there.
 */
export function authentication(app: INestApplicationContext): RequestHandler {
  const authenticator = app.get(AuthenticatorService);
  const causations = app.get(CausationTokens);
  const logger = new Logger('Authentication');
  const routes = app.get(RouteTableRegistry);
  const rates = new RateLimits(app.get(PlatformConfig).rateLimit);

  function isOpen(req: Request): boolean {
    if (!GUARDED.test(req.path) || req.method === 'OPTIONS' || DOCUMENTATION.test(req.path)) return true;
    return routes.find(req.method, req.path)?.rule === 'public';
  }

  /**
   * A value that does not verify is ignored: a legitimate call that arrives late must not fail, and a forged one gains
   * nothing that sending no header would not give.
   */
  async function withCausation(req: Request, principal: Principal): Promise<Principal> {
    const value = req.get(CAUSATION_HEADER);
    if (value === undefined) return principal;
    const causation = await causations.verify(value);
    if (causation?.spaceId === principal.spaceId) return { ...principal, causationRunId: causation.runId };
    logger.debug({ requestId: req.requestId }, `${CAUSATION_HEADER} is expired or not valid; ignored`);
    return principal;
  }

  const rateOf = (req: Request) => routes.find(req.method, req.path)?.rate ?? 'general';

  async function admit(req: Request, res: Response, counted: boolean): Promise<void> {
    try {
      const principal = await authenticator.authenticate(req.get('Authorization'));
      if (!counted) rates.count(rateOf(req), principal);
      req.principal = await withCausation(req, principal);
      liftBodyDeadline(req);
    } catch (error) {
      if (error instanceof AppError && error.code === 'UNAUTHORIZED')
        res.setHeader('WWW-Authenticate', 'Bearer');
      throw error;
    }
  }

  return (req: Request, res: Response, next: NextFunction) => {
    if (isOpen(req)) {
      next();
      return;
    }
    const holder = authenticator.findHolder(req.get('Authorization'));
    const isExpected = holder !== null && rates.admits(rateOf(req), holder);
    const verified = admit(req, res, isExpected);
    verified.catch((error: unknown) => sendNow(error, req, res));
    if (isExpected) {
      Object.assign(req, { verified, holder });
      next();
    } else {
      verified.then(
        () => next(),
        () => undefined,
      );
    }
  };
}

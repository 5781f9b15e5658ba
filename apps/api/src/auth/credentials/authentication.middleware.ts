import { Logger, type INestApplicationContext } from '@nestjs/common';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { AppError } from '../../infra/errors/app-error.ts';
import { sendError } from '../../infra/errors/error.filter.ts';
import { liftBodyDeadline } from '../../infra/requests/read-timeout.ts';
import { mcpSpaceOf } from '../../infra/routes/paths.ts';
import { RouteTableRegistry } from '../../infra/routes/route-table.registry.ts';
import { mcpChallenge } from '../grants/mcp-challenge.ts';
import { AuthenticatorService } from './authenticator.service.ts';
import { CAUSATION_HEADER, CausationTokens } from './causation.ts';
import type { Principal } from '../principals/principal.ts';
import { tellLimits } from '../limits/limit-headers.ts';
import { RateLimits } from '../limits/rate-limits.ts';

// Routes match in upper and lower case, so this must too.
const GUARDED = /^\/(api|models|mcp)(\/|$)/i;
/** The documentation is public and is not served by a controller. */
const DOCUMENTATION = /^\/api\/(docs(\/.*)?|openapi\.json)$/;

/**
 * Authenticates the caller before the body is read, and refuses unknown callers. Public routes need no credential, so an
 * invalid one does not matter there.
 */
export function authentication(app: INestApplicationContext): RequestHandler {
  const authenticator = app.get(AuthenticatorService);
  const causations = app.get(CausationTokens);
  const logger = new Logger('Authentication');
  const routes = app.get(RouteTableRegistry);
  const rates = app.get(RateLimits);
  const { publicUrl } = app.get(PlatformConfig);

  function isOpen(req: Request): boolean {
    if (!GUARDED.test(req.path) || req.method === 'OPTIONS' || DOCUMENTATION.test(req.path)) return true;
    return routes.of(req)?.rule === 'public';
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

  async function admit(req: Request, res: Response): Promise<void> {
    const authorization = req.get('Authorization');
    const mcpSpaceId = mcpSpaceOf(req.path);
    try {
      const principal = await authenticator.authenticate(authorization, mcpSpaceId);
      const kind = routes.of(req)?.rate ?? 'general';
      try {
        rates.count(kind, principal);
      } finally {
        tellLimits(res, rates.headersFor(kind, principal));
      }
      req.principal = await withCausation(req, principal);
      liftBodyDeadline(req);
    } catch (error) {
      if (error instanceof AppError && error.code === 'UNAUTHORIZED') {
        const hasCredential = authorization !== undefined;
        const challenge = mcpSpaceId === null ? 'Bearer' : mcpChallenge(publicUrl, mcpSpaceId, hasCredential);
        res.setHeader('WWW-Authenticate', challenge);
      }
      throw error;
    }
  }

  return (req: Request, res: Response, next: NextFunction) => {
    if (isOpen(req)) {
      try {
        // Such as refreshing a sign-in, or exchanging a token.
        if (req.method === 'POST') rates.countAddress(req.ip ?? '');
      } catch (error) {
        sendError(error, req, res);
        return;
      }
      next();
      return;
    }
    admit(req, res).then(
      () => next(),
      (error: unknown) => sendError(error, req, res),
    );
  };
}

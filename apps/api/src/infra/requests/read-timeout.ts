import type { Server } from 'node:http';
import type { NextFunction, Request, RequestHandler, Response } from 'express';

declare module 'express-serve-static-core' {
  interface Request {
    /** Runs until the sender of the body is authenticated. */
    bodyDeadline?: NodeJS.Timeout;
  }
}

/** Closes connections if the headers of a request take longer. Call it before the server listens. */
export function limitHeaders(server: Server, timeoutMs: number): void {
  server.headersTimeout = timeoutMs;
  // How often Node.js checks its connections: an option of createServer, which Nest calls.
  const checked = server as Server & { connectionsCheckingInterval: number };
  checked.connectionsCheckingInterval = Math.min(5_000, timeoutMs);
}

/**
 * Closes connections if a body takes longer, until `liftBodyDeadline`. This affects bodies for public routes and of
 * rejected calls, which Node.js reads completely so that the caller can read the response.
 */
export function bodyDeadline(timeoutMs: number): RequestHandler {
  return (req: Request, _res: Response, next: NextFunction) => {
    if (hasBody(req)) {
      req.bodyDeadline = setTimeout(() => {
        if (!req.complete) req.socket.destroy();
      }, timeoutMs).unref();
      req.once('end', () => liftBodyDeadline(req));
      req.once('close', () => {
        if (req.complete) liftBodyDeadline(req);
      });
    }
    next();
  };
}

/** To be called for authenticated callers. */
export function liftBodyDeadline(req: Request): void {
  clearTimeout(req.bodyDeadline);
}

function hasBody(req: Request): boolean {
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;
}

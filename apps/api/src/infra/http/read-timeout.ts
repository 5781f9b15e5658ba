import type { Server } from 'node:http';
import type { NextFunction, Request, RequestHandler, Response } from 'express';

declare module 'express-serve-static-core' {
  interface Request {
    /** Runs while nobody is known to send the body. */
    bodyDeadline?: NodeJS.Timeout;
  }
}

/** Closes connections on which the headers of a request take longer; call it before the server listens. */
export function limitHeaders(server: Server, timeoutMs: number): void {
  server.headersTimeout = timeoutMs;
  // How often Node looks at its connections; an option of createServer, where Nest does not let us in.
  const checked = server as Server & { connectionsCheckingInterval: number };
  checked.connectionsCheckingInterval = Math.min(5_000, timeoutMs);
}

/**
 * Closes connections on which a body takes longer, until `liftBodyDeadline`: a body for a public route, and one whose
 * call was refused. Node reads that one to its end, so that the caller gets to read the answer.
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

/** For callers who are known. */
export function liftBodyDeadline(req: Request): void {
  clearTimeout(req.bodyDeadline);
}

function hasBody(req: Request): boolean {
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;
}

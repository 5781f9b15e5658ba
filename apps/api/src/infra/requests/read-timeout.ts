import type { Server } from 'node:http';
import type { NextFunction, Request, RequestHandler, Response } from 'express';

/** How often bodies are looked through, so that no request has a timer of its own. */
const LOOK_MS = 500;

/** When the connection of a request is closed unless its body is complete by then. */
const deadlines = new Map<Request, number>();
let looking: NodeJS.Timeout | null = null;

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
  const lookMs = Math.min(LOOK_MS, timeoutMs);
  return (req: Request, _res: Response, next: NextFunction) => {
    if (hasBody(req)) {
      deadlines.set(req, performance.now() + timeoutMs);
      looking ??= setInterval(closeLate, lookMs).unref();
    }
    next();
  };
}

/** To be called for authenticated callers. */
export function liftBodyDeadline(req: Request): void {
  deadlines.delete(req);
}

function closeLate(): void {
  const now = performance.now();
  for (const [req, deadline] of deadlines) {
    const isOver = req.complete || req.socket.destroyed;
    if (!isOver && deadline > now) continue;
    deadlines.delete(req);
    if (!isOver) req.socket.destroy();
  }
  if (deadlines.size > 0 || looking === null) return;
  clearInterval(looking);
  looking = null;
}

function hasBody(req: Request): boolean {
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;
}

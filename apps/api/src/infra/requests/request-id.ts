import { randomUUID } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';

const PRINTABLE = /^[\x21-\x7e]{1,128}$/;

declare module 'express-serve-static-core' {
  interface Request {
    requestId: string;
  }
}

/** Assigns an id to every request, the caller's if it is valid, and returns it in a response header. */
export function requestId(req: Request, res: Response, next: NextFunction): void {
  const given = req.get('X-Request-Id');
  req.requestId = given !== undefined && PRINTABLE.test(given) ? given : randomUUID();
  res.setHeader('X-Request-Id', req.requestId);
  next();
}

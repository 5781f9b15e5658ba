import { randomUUID } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';

const PRINTABLE = /^[\x21-\x7e]{1,128}$/;

declare module 'express-serve-static-core' {
  interface Request {
    requestId: string;
  }
}

/** Gives every request an id, its caller's where that is usable, and tells it in the answer. */
export function requestId(req: Request, res: Response, next: NextFunction): void {
  const given = req.get('X-Request-Id');
  req.requestId = given !== undefined && PRINTABLE.test(given) ? given : randomUUID();
  res.setHeader('X-Request-Id', req.requestId);
  next();
}

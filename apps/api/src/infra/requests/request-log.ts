import { Logger } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { maskedPath, pathOf } from '../routes/paths.ts';

const logger = new Logger('Request');

/** Logs one line per finished call: caller, route, status, duration. Never logs headers, bodies, or secrets in paths. */
export function requestLog(req: Request, res: Response, next: NextFunction): void {
  const startedAt = performance.now();
  res.once('close', () => {
    logger.debug({
      requestId: req.requestId,
      method: req.method,
      path: maskedPath(pathOf(req)),
      status: res.statusCode,
      finished: res.writableFinished,
      ms: Math.round(performance.now() - startedAt),
    });
  });
  next();
}

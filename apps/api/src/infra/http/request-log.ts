import { Logger } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';

const logger = new Logger('Request');

/** One line per call when it is over: who, what, how it ended, how long; never headers or bodies. */
export function requestLog(req: Request, res: Response, next: NextFunction): void {
  const startedAt = performance.now();
  res.once('close', () => {
    logger.debug({
      requestId: req.requestId,
      method: req.method,
      path: req.path,
      status: res.statusCode,
      finished: res.writableFinished,
      ms: Math.round(performance.now() - startedAt),
    });
  });
  next();
}

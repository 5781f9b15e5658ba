import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import { AppError, invalid } from './app-error.ts';
import { answerError } from './error.filter.ts';

const MB = 1024 * 1024;
const DEFAULT_LIMIT = MB;
const MAX_DEPTH = 64;

/** Routes whose bodies may carry media or documents. */
const LIMITS: { path: RegExp; bytes: number }[] = [
  { path: /^\/api\/agents\/[^/]+\/(chat|execute)$/, bytes: 10 * MB },
  { path: /^\/api\/agent-jobs$/, bytes: 10 * MB },
  { path: /^\/models\/v1\//, bytes: 10 * MB },
];

/**
 * Reads JSON bodies; runs behind authentication, so that nobody unknown makes us read one.
 * Malformed, too large and too deep bodies are answered here with the flat error body.
 */
export function bodyParser(): RequestHandler {
  const parsers = new Map<number, RequestHandler>();
  const parserOf = (bytes: number) => {
    const parser = parsers.get(bytes) ?? express.json({ limit: bytes, strict: true, inflate: true });
    parsers.set(bytes, parser);
    return parser;
  };
  return (req: Request, res: Response, next: NextFunction) => {
    const bytes = LIMITS.find((limit) => limit.path.test(req.path))?.bytes ?? DEFAULT_LIMIT;
    void parserOf(bytes)(req, res, (thrown?: unknown) => {
      const error = thrown === undefined ? problemOf(req) : readError(thrown, bytes);
      if (error) answerError(error, req, res);
      else next();
    });
  };
}

function problemOf(req: Request): AppError | null {
  const body: unknown = req.body;
  if (body === undefined) {
    if (Number(req.get('Content-Length') ?? 0) > 0 || req.get('Transfer-Encoding') !== undefined) {
      return invalid('The body must be JSON, sent with Content-Type: application/json');
    }
    return null;
  }
  return deeperThan(body, MAX_DEPTH) ? invalid(`The body is nested deeper than ${MAX_DEPTH} levels`) : null;
}

function readError(thrown: unknown, bytes: number): AppError {
  const { type, status } = thrown as { type?: string; status?: number };
  if (type === 'entity.too.large') {
    return new AppError('PAYLOAD_TOO_LARGE', `The body is larger than ${bytes} bytes`);
  }
  if (type === 'entity.parse.failed') return invalid('The body is not valid JSON');
  if (status !== undefined && status < 500)
    return invalid(`The body cannot be read: ${(thrown as Error).message}`);
  return new AppError('SERVER_ERROR', 'Something went wrong on our side', { cause: thrown });
}

/** Whether a value nests deeper than `limit`; walks without recursion, since the value is a stranger's. */
export function deeperThan(value: unknown, limit: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    const nested = level.filter((item): item is object => typeof item === 'object' && item !== null);
    if (nested.length === 0) return false;
    if (depth >= limit) return true;
    level = nested.flatMap((item) => Object.values(item) as unknown[]);
  }
  return false;
}

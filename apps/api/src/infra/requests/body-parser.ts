import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import { AppError, invalid } from '../errors/app-error.ts';
import { BODY_LIMITS, type BodyKind, type BodyLimits } from '../routes/body-limit.ts';
import { sendError } from '../errors/error.filter.ts';
import { joinProblems } from '../errors/error-message.ts';
import { MAX_NUMBER_PROBLEMS, numberProblems } from './json-numbers.ts';
import { shapeProblem } from './json-shape.ts';
import type { RouteTableRegistry } from '../routes/route-table.registry.ts';

declare module 'express-serve-static-core' {
  interface Request {
    /** The numbers of the body that a parser changes, with their paths, if the route wants to know them. */
    inexactNumbers?: string[];
  }
}

const FORM_TYPE = 'application/x-www-form-urlencoded';
/** Of a form; no request of OAuth has more than a dozen. */
const MAX_PARAMETERS = 50;

/** Of the bodies of one holder of credentials that are being read at the same time: each is in memory, however slowly it arrives. */
const MAX_BYTES_UNDER_WAY = 256 * 1024 * 1024;
/** Smaller bodies are not counted: the limits of requests bound them well enough. */
const SMALL_BYTES = 64 * 1024;

/** The type of an error that `shapeProblem` caused, on its way through Express. */
const WRONG_SHAPE = 'platform.wrong-shape';

/**
 * Reads bodies within the limits that the called route declares. Runs after authentication, so that unauthenticated
 * callers cannot make the service read one. Sends the error response for bodies that cannot be read. `holderOf`: whose bodies are
 * counted together; null for callers who are not known.
 */
export function bodyParser(
  routes: Pick<RouteTableRegistry, 'of'>,
  holderOf: (req: Request) => string | null,
): RequestHandler {
  const readers: Record<BodyKind, Reader> = {
    standard: readerOf(BODY_LIMITS.standard),
    large: readerOf(BODY_LIMITS.large),
    values: readerOf(BODY_LIMITS.values),
    event: readerOf(BODY_LIMITS.event),
    events: readerOf(BODY_LIMITS.events),
    upload: readerOf(BODY_LIMITS.upload),
    form: formReader(BODY_LIMITS.form.bytes),
    registration: readerOf(BODY_LIMITS.registration),
  };
  const underWay = new BodiesUnderWay();
  return (req: Request, res: Response, next: NextFunction) => {
    const kind = routes.of(req)?.body ?? 'standard';
    const end = underWay.begin(holderOf(req), mostBytes(req, BODY_LIMITS[kind]));
    if (end === null) {
      const message = `Your calls send more than ${MAX_BYTES_UNDER_WAY} bytes at the same time`;
      sendError(new AppError('RATE_LIMITED', message, { retryAfter: 1 }), req, res);
      return;
    }
    // The parser says nothing of a compressed body whose connection ends.
    if (end !== NOT_COUNTED) res.once('close', end);
    readers[kind](req, res, (error) => {
      end();
      if (error) sendError(error, req, res);
      else next();
    });
  };
}

const NOT_COUNTED = () => undefined;

/** Counts what the bodies that are being read may take, by those who send them. */
class BodiesUnderWay {
  private readonly bytes = new Map<string, number>();

  /** Returns what to call when it has been read, or given up; null if there is no room for it. */
  begin(holder: string | null, bytes: number): (() => void) | null {
    if (holder === null || bytes <= SMALL_BYTES) return NOT_COUNTED;
    const sum = (this.bytes.get(holder) ?? 0) + bytes;
    if (sum > MAX_BYTES_UNDER_WAY) return null;
    this.bytes.set(holder, sum);
    let counted = bytes;
    return () => {
      const left = (this.bytes.get(holder) ?? 0) - counted;
      counted = 0;
      if (left > 0) this.bytes.set(holder, left);
      else this.bytes.delete(holder);
    };
  }
}

/** The most bytes that a body takes: those that it declares, unless they are compressed. */
function mostBytes(req: Request, { bytes, multipartBytes }: BodyLimits): number {
  const limit = Math.max(bytes, multipartBytes ?? 0);
  if (req.get('Content-Encoding') !== undefined || req.get('Transfer-Encoding') !== undefined) return limit;
  return Math.min(Number(req.get('Content-Length') ?? 0), limit);
}

type Reader = (req: Request, res: Response, done: (error: AppError | null) => void) => void;

function readerOf({ bytes, depth, multipartBytes, inexactNumbers }: BodyLimits): Reader {
  const json: RequestHandler = express.json({
    limit: bytes,
    strict: true,
    inflate: true,
    verify: (req, _res, body, encoding) => {
      assertShape(body, encoding, depth);
      if (inexactNumbers === 'accepted') return;
      const found = numberProblems(body);
      if (inexactNumbers === 'refused' ? found.length > 0 : found.length >= MAX_NUMBER_PROBLEMS)
        throw wrongShape(joinProblems(found));
      (req as Request).inexactNumbers = found;
    },
  });
  const multipart: RequestHandler | null =
    multipartBytes === null
      ? null
      : express.raw({ limit: multipartBytes, type: 'multipart/form-data', inflate: false });
  return (req, res, done) => {
    const isForm = multipart !== null && Boolean(req.is('multipart/form-data'));
    const [parser, limit] = isForm ? [multipart, multipartBytes ?? 0] : [json, bytes];
    void parser(req, res, (thrown?: unknown) => {
      done(thrown === undefined ? unreadProblem(req, multipart !== null) : readError(thrown, limit));
    });
  };
}

/** Reads names and values; a repeated name has a list. */
function formReader(bytes: number): Reader {
  const parser = express.urlencoded({ extended: false, limit: bytes, parameterLimit: MAX_PARAMETERS });
  return (req, res, done) => {
    parser(req, res, (thrown?: unknown) => {
      if (thrown !== undefined) done(readError(thrown, bytes));
      else done(req.body === undefined ? invalid(`The body must be sent as ${FORM_TYPE}`) : null);
    });
  };
}

/** Checks the shape before parsing, because some shapes are slow to parse. */
function assertShape(body: Buffer, encoding: string, maxDepth: number): void {
  const problem = encoding === 'utf-8' ? shapeProblem(body, maxDepth) : 'The body must be encoded as UTF-8';
  if (problem !== null) throw wrongShape(problem);
}

const wrongShape = (problem: string) => Object.assign(new Error(problem), { type: WRONG_SHAPE });

/** A body of a type that no parser reads. */
function unreadProblem(req: Request, takesForms: boolean): AppError | null {
  if (req.body !== undefined) return null;
  if (Number(req.get('Content-Length') ?? 0) === 0 && req.get('Transfer-Encoding') === undefined) return null;
  const expected = 'The body must be JSON, sent with Content-Type: application/json';
  return invalid(takesForms ? `${expected}, or multipart/form-data` : expected);
}

function readError(thrown: unknown, bytes: number): AppError {
  const { type, status, message } = thrown as { type?: string; status?: number; message: string };
  if (type === 'entity.too.large') {
    return new AppError('PAYLOAD_TOO_LARGE', `The body is larger than ${bytes} bytes`);
  }
  if (type === 'entity.parse.failed') return invalid('The body is not valid JSON');
  if (type === WRONG_SHAPE) return invalid(message);
  if (status !== undefined && status < 500) return invalid(`The body cannot be read: ${message}`);
  return new AppError('SERVER_ERROR', 'Something went wrong on our side', { cause: thrown });
}

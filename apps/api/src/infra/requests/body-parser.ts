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

/** The type of an error that `shapeProblem` caused, on its way through Express. */
const WRONG_SHAPE = 'platform.wrong-shape';

/**
 * Reads bodies within the limits that the called route declares. Runs after authentication, so that unauthenticated
 * callers cannot make the service read one. Sends the error response for bodies that cannot be read.
 */
export function bodyParser(routes: Pick<RouteTableRegistry, 'of'>): RequestHandler {
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
  return (req: Request, res: Response, next: NextFunction) => {
    const read = readers[routes.of(req)?.body ?? 'standard'];
    read(req, res, (error) => {
      if (error) sendError(error, req, res);
      else next();
    });
  };
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

import { ERROR_STATUS, type ErrorBody, type ErrorCode } from '@platform/contracts';
import { fieldErrors, MAX_MESSAGE_BYTES, shortened, summarizeProblems } from './error-message.ts';

export interface AppErrorOptions {
  cause?: unknown;
  /** Seconds, sent as `Retry-After`. */
  retryAfter?: number;
  /** All problems of an invalid request, of which the message names the first. */
  problems?: readonly string[];
  /** The `code` and `param` of a relay error, if those of `openai-error.ts` are too general. */
  openai?: OpenAiWords;
  /** The `error` of OAuth, if that of `oauth-error.ts` is too general. */
  oauth?: string;
}

export interface OpenAiWords {
  code?: string;
  /** The invalid field. */
  param?: string;
}

/** The only error that services throw. Its status and body follow from its code and the table in the contracts. */
export class AppError extends Error {
  readonly retryAfter?: number;
  readonly openai: OpenAiWords;
  readonly oauth?: string;
  private readonly problems: readonly string[] | undefined;

  constructor(
    readonly code: ErrorCode,
    message: string,
    options: AppErrorOptions = {},
  ) {
    // Messages contain text of the caller.
    super(shortened(message, MAX_MESSAGE_BYTES), { cause: options.cause });
    this.name = 'AppError';
    this.openai = options.openai ?? {};
    if (options.oauth !== undefined) this.oauth = options.oauth;
    this.problems = options.problems;
    if (options.retryAfter !== undefined) this.retryAfter = options.retryAfter;
  }

  get status(): number {
    return ERROR_STATUS[this.code];
  }

  get body(): ErrorBody {
    const { message, code } = this;
    if (code !== 'VALIDATION_ERROR') return { success: false, message, code };
    return { success: false, message, code, errors: fieldErrors(this.problems ?? [message]) };
  }
}

export const invalid = (message: string) => new AppError('VALIDATION_ERROR', message);
/** An error that lists several problems. Each starts with the name of its field. */
export const invalidFor = (problems: readonly string[]) =>
  new AppError('VALIDATION_ERROR', summarizeProblems(problems), { problems });
export const unauthorized = (message: string) => new AppError('UNAUTHORIZED', message);
export const forbidden = (message: string) => new AppError('FORBIDDEN', message);
export const notFound = (message: string) => new AppError('NOT_FOUND', message);
export const conflict = (message: string) => new AppError('CONFLICT', message);
export const unavailable = (message: string, options?: AppErrorOptions) =>
  new AppError('UNAVAILABLE', message, options);

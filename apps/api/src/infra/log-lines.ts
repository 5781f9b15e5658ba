import { isUnavailable } from './database/unavailable.ts';

/** Longest line of the log; what is longer is cut in its texts. */
const MAX_LINE = 16_384;
const MAX_MESSAGE = 1_000;
const MAX_STACK = 4_000;
const MAX_QUERY = 300;
const MAX_CUT_TEXT = 500;
const MAX_CAUSES = 4;

/** The plain facts of an error that hold nothing of what users wrote; everything else it carries is left out. */
const FACTS = ['code', 'errno', 'syscall', 'status', 'severity', 'schema', 'table', 'column', 'constraint'];

/** Keys of ours and of model servers, tokens, and passwords in addresses. */
const SECRETS =
  /\b(?:(?:pk|app|sk)[_-][A-Za-z0-9_-]{8,}|eyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?)|(?<=\bBearer\s+)[^\s"\\]+|(?<=:\/\/[^\s:@/"]*:)[^\s@/"]+(?=@)/g;

/** The data that a statement failed of (class 22) is quoted by PostgreSQL in its message, and by the JSON parser. */
const QUOTED = /"[^]*"/;

export interface LoggedError {
  type: string;
  message: string;
  stack?: string;
  [fact: string]: unknown;
}

/** What the log tells of an error: neither the parameters and rows of a statement, nor headers, nor long texts. */
export function loggedError(error: unknown, depth = 0): LoggedError | string {
  if (!isError(error)) return cut(typeof error === 'string' ? error : typeof error, MAX_MESSAGE);
  const told: LoggedError = {
    type: error.name === 'Error' ? error.constructor.name : error.name,
    message: cut(messageOf(error), MAX_MESSAGE),
  };
  // Of a database that is away every statement tells the same; where it was asked says nothing.
  if (!isUnavailable(error)) told.stack = framesOf(error);
  const carried = error as unknown as Record<string, unknown>;
  for (const fact of FACTS) {
    const value = carried[fact];
    if (typeof value === 'string') told[fact] = cut(value, MAX_QUERY);
    else if (typeof value === 'number') told[fact] = value;
  }
  // The text alone: the values travel beside it.
  if (typeof carried.query === 'string') told.query = cut(carried.query.replace(/\s+/g, ' '), MAX_QUERY);
  if (isError(error.cause) && depth < MAX_CAUSES) told.cause = loggedError(error.cause, depth + 1);
  if (Array.isArray(carried.errors) && depth < MAX_CAUSES)
    told.errors = carried.errors.slice(0, MAX_CAUSES).map((one) => loggedError(one, MAX_CAUSES));
  return told;
}

/** The fields of a line, with the errors among them as they may be told. */
export function loggedFields(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, isError(value) ? loggedError(value) : value]),
  );
}

/** A line as it is written: no secrets, and of bounded length. */
export function loggedLine(line: string): string {
  return (line.length <= MAX_LINE ? line : shortened(line)).replace(SECRETS, '[secret]');
}

function shortened(line: string): string {
  const fields = JSON.parse(line) as Record<string, unknown>;
  const short = JSON.stringify({ ...fields, truncated: true }, (_, value: unknown) =>
    typeof value === 'string' ? cut(value, MAX_CUT_TEXT) : value,
  );
  if (short.length < MAX_LINE) return `${short}\n`;
  const { level, time, msg } = fields;
  return `${JSON.stringify({ level, time, msg: cut(String(msg), MAX_CUT_TEXT), truncated: true })}\n`;
}

/** Other realms, such as that of a test, have errors of their own. */
function isError(value: unknown): value is Error {
  return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';
}

function messageOf(error: Error): string {
  const { code } = error as { code?: unknown };
  const quotesData = (typeof code === 'string' && /^22.{3}$/.test(code)) || error instanceof SyntaxError;
  return quotesData ? error.message.replace(QUOTED, '"…"') : error.message;
}

/** Without the message, which stands at its head. */
function framesOf({ stack = '' }: Error): string {
  return cut(
    stack
      .split('\n')
      .filter((line) => /^\s+at /.test(line))
      .join('\n'),
    MAX_STACK,
  );
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}… (${text.length} characters)` : text;
}

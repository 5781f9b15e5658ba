import { isDataError } from '../database/data-errors.ts';
import { isUnavailable } from '../database/unavailable.ts';

/** The longest line of the log. The texts of longer lines are cut. */
const MAX_LINE = 16_384;
const MAX_MESSAGE = 1_000;
const MAX_STACK = 4_000;
const MAX_QUERY = 300;
const MAX_CUT_TEXT = 500;
const MAX_CAUSES = 4;

/** The properties of an error that never contain what users wrote. All other properties are omitted. */
const FACTS = ['code', 'errno', 'syscall', 'status', 'severity', 'schema', 'table', 'column', 'constraint'];

/** Keys of this service and of model servers, secrets of webhooks, tokens, and passwords in URLs. */
const SECRETS =
  /((?:\bBearer\s+)+)[^\s"\\]+|\b(?:(?:pk|app|sk)[_-][A-Za-z0-9_-]{8,}|whsec_[\w+/=-]{8,}|(?:mcp_)?eyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?)|(?<=:\/\/[^\s:@/"]*:)[^\s@/"]+(?=@)/g;

/** PostgreSQL (class 22) and the JSON parser quote the rejected data in their messages. */
const QUOTED = /"[^]*"/;

export interface LoggedError {
  type: string;
  message: string;
  stack?: string;
  [fact: string]: unknown;
}

/** An error as it is logged: without the parameters and rows of a statement, headers, and long texts. */
export function loggedError(error: unknown, depth = 0): LoggedError | string {
  if (!isError(error)) return cut(typeof error === 'string' ? error : typeof error, MAX_MESSAGE);
  const logged: LoggedError = {
    type: error.name === 'Error' ? error.constructor.name : error.name,
    message: cut(messageOf(error), MAX_MESSAGE),
  };
  // If the database is unavailable, all statements fail alike, and the stack adds nothing.
  if (!isUnavailable(error)) logged.stack = framesOf(error);
  const properties = error as unknown as Record<string, unknown>;
  for (const fact of FACTS) {
    const value = properties[fact];
    if (typeof value === 'string') logged[fact] = cut(value, MAX_QUERY);
    else if (typeof value === 'number') logged[fact] = value;
  }
  // The text only; it does not contain the values.
  if (typeof properties.query === 'string')
    logged.query = cut(properties.query.replace(/\s+/g, ' '), MAX_QUERY);
  if (isError(error.cause) && depth < MAX_CAUSES) logged.cause = loggedError(error.cause, depth + 1);
  if (Array.isArray(properties.errors) && depth < MAX_CAUSES)
    logged.errors = properties.errors.slice(0, MAX_CAUSES).map((one) => loggedError(one, MAX_CAUSES));
  return logged;
}

/** The fields of a line, with errors as they may be logged. */
export function loggedFields(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, isError(value) ? loggedError(value) : value]),
  );
}

/** Masks the secrets of a line and bounds its length. */
export function loggedLine(line: string): string {
  return (line.length <= MAX_LINE ? line : shortened(line)).replace(SECRETS, '$1[secret]');
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

/** Other realms, such as that of a test, have their own `Error`. */
function isError(value: unknown): value is Error {
  return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';
}

function messageOf(error: Error): string {
  const quotesData = isDataError(error) || error instanceof SyntaxError;
  return quotesData ? error.message.replace(QUOTED, '"…"') : error.message;
}

/** The stack without the message at its top. */
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

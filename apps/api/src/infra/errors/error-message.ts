import { storable } from './storable.ts';

/** The greatest length of an error message in UTF-8. */
export const MAX_MESSAGE_BYTES = 4096;

const MAX_PROBLEM_BYTES = 1000;
/** A sentence for people names the first problems; programs read all of them. */
const MAX_NAMED = 3;
/** How many problems a response names. */
export const MAX_FIELD_ERRORS = 100;
const MAX_FIELD_ERRORS_BYTES = 16_384;
const SEPARATOR = '; ';
/** Bytes reserved for the end of a list: "; … and 1234567 more". */
const REST_BYTES = 32;

export function unknownField(path: string): string {
  return `${path} is not a known field`;
}

/** Shortens a text to `maxBytes` in UTF-8; a shortened text ends in "…". */
export function shortened(text: string, maxBytes: number): string {
  // A UTF-16 code unit takes at most three bytes.
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text.slice(0, maxBytes + 1)) <= maxBytes) return text;
  const room = new Uint8Array(maxBytes - Buffer.byteLength('…'));
  const { read } = new TextEncoder().encodeInto(text.slice(0, maxBytes), room);
  return `${text.slice(0, read)}…`;
}

/**
 * Joins problems into one message. Those that do not fit are counted: "a; b; … and 311 more". They can name any key of a
 * payload, so U+0000, which no column of type text can store, is replaced.
 */
export function joinProblems(problems: readonly string[], most = Infinity): string {
  const kept: string[] = [];
  let room = MAX_MESSAGE_BYTES - REST_BYTES;
  for (const problem of problems.slice(0, most)) {
    const text = bounded(problem);
    room -= Buffer.byteLength(text) + SEPARATOR.length;
    if (room < 0) break;
    kept.push(text);
  }
  const omitted = problems.length - kept.length;
  return [...kept, ...(omitted > 0 ? [`… and ${omitted} more`] : [])].join(SEPARATOR);
}

/** Joins the first three problems, and counts the rest. */
export const summarizeProblems = (problems: readonly string[]) => joinProblems(problems, MAX_NAMED);

/** What is wrong with one field. */
export interface FieldError {
  /** As in `settings.tools[2].name`, or a JSON pointer into a manifest. Empty if it is about the request as a whole. */
  path: string;
  /** Continues the name of the field: "is required". */
  message: string;
}

/** A problem starts with the name of its field; sentences about anything else start with a capital letter. */
const FIELD = /^(?:each value in |The body\.)?((?:[a-z_$]|\/)[\w$~-]*(?:[./][\w$~-]+|\[\d+\])*):? (?=\S)/;

/** Splits problems into fields and what is wrong with them; at most 100, and 16 KB together. */
export function fieldErrors(problems: readonly string[]): FieldError[] {
  let room = MAX_FIELD_ERRORS_BYTES;
  const found: FieldError[] = [];
  for (const problem of problems.slice(0, MAX_FIELD_ERRORS)) {
    const text = bounded(problem);
    room -= Buffer.byteLength(text);
    if (room < 0) break;
    const [start = '', path = ''] = FIELD.exec(text) ?? [];
    const message = text.slice(start.length);
    found.push({
      path,
      message: text.startsWith('each value in ') ? `each value ${message}` : message,
    });
  }
  return found;
}

function bounded(problem: string): string {
  return shortened(storable(problem), MAX_PROBLEM_BYTES);
}

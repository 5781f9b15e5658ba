import { numberProblems } from '../../infra/requests/json-numbers.ts';
import { deeperThan } from '../../infra/requests/json-shape.ts';

const MAX_CHARS = 256 * 1024;
/** The maximum depth, as for request bodies. */
const MAX_DEPTH = 64;

/** The arguments of a tool call, or a sentence for the model about what is wrong with them. */
export type CallArguments = Record<string, unknown> | string;

/** Reads the arguments that a model wrote. */
export function readArguments(text: string): CallArguments {
  if (text.length > MAX_CHARS) return `The arguments are longer than ${MAX_CHARS} characters`;
  const value = parsed(text === '' ? '{}' : text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return 'The arguments are not a JSON object';
  const [problem] = numberProblems(Buffer.from(text));
  if (problem !== undefined) return `In the arguments, ${problem}`;
  if (deeperThan(value, MAX_DEPTH)) return `The arguments are nested deeper than ${MAX_DEPTH} levels`;
  return value as Record<string, unknown>;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

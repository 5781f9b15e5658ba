import type { ErrorObject } from 'ajv';
import { shortenText } from '../runtime/shorten-text.ts';

/** More would not fit in a message. */
export const MAX_PROBLEMS = 1_000;
/** Characters of all descriptions together, also of those that repeat another. */
const MAX_DESCRIBED = 1_000_000;
const MAX_LISTED_VALUES = 200;

const STRING = /"(?:[^"\\]|\\.)*"/.source;
const ERRORS_OF_REFERENCE =
  /vErrors = vErrors === null \? (?<called>[\w.]+)\.errors : vErrors\.concat\(\k<called>\.errors\)/.source;
const ONE_MORE = /\berrors\+\+/.source;
const ADDED_ERRORS = new RegExp(`${STRING}|${ERRORS_OF_REFERENCE}|${ONE_MORE}`, 'g');

/** What compiled code reports: an error, or all errors of a schema that was referred to. */
export type SchemaError = ErrorObject | { errors: SchemaError[] };

/**
 * Makes the code of a compiled schema linear in its errors: every error is charged to the budget, and those of a reference
 * stay together. The compiler would copy all errors again for every reference that fails.
 */
export function boundErrors(code: string): string {
  return code.replaceAll(ADDED_ERRORS, (found: string, called: string | undefined) => {
    if (called !== undefined) return `(vErrors ??= []).push({ errors: ${called}.errors })`;
    return found.startsWith('"') ? found : `${found}, self.chargeError()`;
  });
}

/** Describes errors with their paths below `root`, in their order, without repetition, and no more than anybody reads. */
export function describeErrors(errors: readonly SchemaError[], root: string): string[] {
  const listed = listing();
  const problems = new Set<string>();
  const left = errors.toReversed();
  let described = 0;
  for (let error = left.pop(); error !== undefined; error = left.pop()) {
    if ('errors' in error) {
      left.push(...error.errors.toReversed());
      continue;
    }
    const problem = describeError(error, root, listed);
    problems.add(problem);
    described += problem.length;
    if (problems.size === MAX_PROBLEMS || described > MAX_DESCRIBED) break;
  }
  return [...problems];
}

type Listed = (value: unknown) => string;

function describeError(
  { instancePath, keyword, params, message }: ErrorObject,
  root: string,
  listed: Listed,
): string {
  const path = `${root}${instancePath.split('/').slice(1).map(segment).join('')}`;
  const { missingProperty, additionalProperty, unevaluatedProperty, allowedValues, allowedValue } =
    params as Record<string, unknown>;
  switch (keyword) {
    case 'required':
      return `${path}${segment(String(missingProperty))} is required`;
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return `${path}${segment(String(additionalProperty ?? unevaluatedProperty))} is not a known field`;
    case 'enum':
      return `${path} must be one of ${listed(allowedValues)}`;
    case 'const':
      return `${path} must be ${listed(allowedValue)}`;
    default:
      return `${path} ${message ?? 'is invalid'}`;
  }
}

/** A member of a path: `.name`, or `[3]`. */
function segment(escaped: string): string {
  const key = escaped.replaceAll('~1', '/').replaceAll('~0', '~');
  return /^\d+$/.test(key) ? `[${key}]` : `.${key}`;
}

/** Formats values of a schema, each once: a thousand errors can name the same large one. */
function listing(): Listed {
  const texts = new Map<unknown, string>();
  return (value) => {
    const known = texts.get(value);
    if (known !== undefined) return known;
    const json = JSON.stringify(value);
    const text = shortenText(json, MAX_LISTED_VALUES);
    texts.set(value, text);
    return text;
  };
}

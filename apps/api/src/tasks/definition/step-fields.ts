import { Script } from 'node:vm';
import { isText } from '../../infra/requests/text.ts';
import { isObject } from '../../infra/runtime/json.ts';
import { problemAt, unknownKeys, type Path, type Problem } from './problems.ts';

export const MAX_STEP_RETRIES = 10;
export const MAX_STEP_BACKOFF_MS = 3_600_000;
const MAX_NAME = 200;
const MAX_EXPRESSION = 2_000;
const TIMEOUT = { min: 100, max: 24 * 3_600_000 };

/** The fields of every step besides `id` and `kind`. */
const CHECKS: Record<string, (value: unknown, path: Path) => Problem[]> = {
  name: (value, path) =>
    problemAt(path, isTextUpTo(value, MAX_NAME) ? null : `must be a text of 1 to ${MAX_NAME} characters`),
  when: (value, path) => problemAt(path, expressionProblem(value)),
  retry: checkRetry,
  timeoutMs: (value, path) => problemAt(path, integerProblem(value, TIMEOUT.min, TIMEOUT.max)),
  onError: (value, path) =>
    problemAt(path, value === 'fail' || value === 'continue' ? null : 'must be fail or continue'),
};

export const COMMON_FIELDS = Object.keys(CHECKS);

/** Returns what is wrong with the fields that every step can have. `timeout`: how the kind checks `timeoutMs`, if it does. */
export function checkCommonFields(
  step: Record<string, unknown>,
  path: Path,
  timeout?: (value: unknown) => string | null,
): Problem[] {
  return COMMON_FIELDS.flatMap((field) => {
    const value = step[field];
    if (value === undefined || value === null) return [];
    if (field === 'timeoutMs' && timeout !== undefined) return problemAt([...path, field], timeout(value));
    return CHECKS[field]?.(value, [...path, field]) ?? [];
  });
}

/** Returns what is wrong with a condition: an expression of JavaScript. Compiling does not execute it. */
export function expressionProblem(value: unknown): string | null {
  if (!isTextUpTo(value, MAX_EXPRESSION)) return `must be an expression of 1 to ${MAX_EXPRESSION} characters`;
  try {
    new Script(conditionSource(value));
    return null;
  } catch (error) {
    return `must be a JavaScript expression: ${(error as Error).message}`;
  }
}

/** The body of a function that returns the value of a condition. */
export function conditionSource(expression: string): string {
  return `(() => (${expression}\n))()`;
}

/** Returns what is wrong with an integer that has bounds. */
export function integerProblem(value: unknown, min: number, max: number): string | null {
  const isValid = Number.isInteger(value) && (value as number) >= min && (value as number) <= max;
  return isValid ? null : `must be an integer from ${min} to ${max}`;
}

function checkRetry(value: unknown, path: Path): Problem[] {
  if (!isObject(value)) return [{ path, text: 'must be an object with attempts' }];
  const { attempts, backoffMs = 0 } = value;
  return [
    ...unknownKeys(value, ['attempts', 'backoffMs'], path),
    ...problemAt([...path, 'attempts'], integerProblem(attempts, 0, MAX_STEP_RETRIES)),
    ...problemAt([...path, 'backoffMs'], integerProblem(backoffMs, 0, MAX_STEP_BACKOFF_MS)),
  ];
}

function isTextUpTo(value: unknown, max: number): value is string {
  return isText(value) && value.trim() !== '' && value.length <= max;
}

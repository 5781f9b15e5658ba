import { isObject } from '../../infra/runtime/json.ts';

const MAX_KEYS = 1_000;

/** Returns the problems of the inputs of a manual run. */
export function checkRunInputs(value: unknown, path: string): string[] {
  if (value === undefined) return [];
  if (!isObject(value)) return [`${path} must be an object`];
  if (Object.keys(value).length > MAX_KEYS) return [`${path} must have at most ${MAX_KEYS} keys`];
  return Object.hasOwn(value, 'trigger')
    ? [`${path}.trigger must not be given: only events set the trigger of a run`]
    : [];
}

import { parseJsonObject } from '../../../ui/code/parse-json.ts';
import { MODEL_PARAMETERS } from '../../agents/form/model-parameters.ts';
import { CALL_KINDS, NEW_OPTIONS, type RunOptions } from './call.ts';

const PARAMETERS = MODEL_PARAMETERS.map(({ name }) => name);
const SWITCHES = ['askOnly', 'noWebSearch', 'memory', 'context', 'internet'] as const;

/** Returns the options in a stored text. Values that this version of the page does not know are left out. */
export function parseOptions(text: string): RunOptions {
  const { kind, model, parameters, variables, ...others } = parseJsonObject(text) ?? {};
  const known = CALL_KINDS.find((one) => one === kind);
  return {
    ...NEW_OPTIONS,
    ...(known !== undefined && { kind: known }),
    ...(typeof model === 'string' && model !== '' && { model }),
    ...pick(others, (value, name) => typeof value === 'boolean' && isOneOf(SWITCHES, name)),
    parameters: pick(parameters, (value, name) => typeof value === 'number' && isOneOf(PARAMETERS, name)),
    variables: pick(variables, (value): value is string => typeof value === 'string'),
  };
}

const isOneOf = (names: readonly string[], name: string): boolean => names.includes(name);

function pick<Value>(
  values: unknown,
  isKept: ((value: unknown, name: string) => value is Value) | ((value: unknown, name: string) => boolean),
): Record<string, Value> {
  const entries = typeof values === 'object' && values !== null ? Object.entries(values) : [];
  return Object.fromEntries(entries.filter(([name, value]) => isKept(value, name)));
}

import type { Step } from '@platform/contracts';
import { formatJson } from '../../../ui/code/json-view.tsx';
import { parseObject } from './json-field.tsx';

/** The fields of every step besides its id and kind. */
export const OPTION_NAMES: readonly string[] = ['name', 'when', 'retry', 'timeoutMs', 'onError'];

/** Returns the options of a step as a JSON text, empty if it has none. */
export function formatOptions(step: Step): string {
  const options = Object.entries(step).filter(([name]) => OPTION_NAMES.includes(name));
  return options.length === 0 ? '' : formatJson(Object.fromEntries(options));
}

export function parseOptions(text: string | undefined): object {
  return text === undefined || text.trim() === '' ? {} : parseObject(text);
}

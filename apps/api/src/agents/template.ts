import {
  listVariables,
  PLACEHOLDER_PATTERN,
  VARIABLE_NAME_PATTERN,
  type AgentVariable,
} from '@platform/contracts';
import { invalid } from '../infra/errors/app-error.ts';

/** Keys of `inputs` with a meaning of their own. Variables cannot have these names. */
export const RESERVED_INPUTS = [
  'query',
  'session_id',
  'memory',
  'context',
  'internet',
  'images',
  'audios',
] as const;

/** Maximum number of placeholders in a prompt, including repetitions. */
export const MAX_PLACEHOLDERS = 1_000;
/** Maximum length of a rendered prompt in UTF-16 code units. */
const MAX_PROMPT_LENGTH = 1_000_000;

const VARIABLE_NAME = new RegExp(`^${VARIABLE_NAME_PATTERN}$`, 'u');

/** Returns what is wrong with the name of a variable, or null. */
export function variableNameProblem(name: string): string | null {
  if (!VARIABLE_NAME.test(name)) {
    return 'must be a letter or _ followed by at most 63 letters, digits, _ or -';
  }
  if ((RESERVED_INPUTS as readonly string[]).includes(name)) return `must not be the reserved name ${name}`;
  return null;
}

/** Returns the variables of the template in order, with their declarations, followed by unused declarations. */
export function mergeVariables(template: string, declared: readonly AgentVariable[]): AgentVariable[] {
  const byName = new Map(declared.map((variable) => [variable.name, variable]));
  const used = new Set(listVariables(template));
  const unused = declared.filter((variable) => !used.has(variable.name));
  return [...[...used].map((name) => byName.get(name) ?? { name }), ...unused].map((variable) => ({
    ...variable,
    required: variable.required ?? true,
  }));
}

/** Returns the required variables of the template that have neither a value nor a default. Null is not a value. */
export function listMissingVariables(
  template: string,
  variables: readonly AgentVariable[],
  values: Record<string, unknown>,
): string[] {
  return mergeVariables(template, variables)
    .slice(0, listVariables(template).length)
    .filter(
      ({ name, required, default: preset }) =>
        required && preset === undefined && getOwn(values, name) === undefined,
    )
    .map(({ name }) => name);
}

/** Whether the template has more placeholders than allowed. */
export function hasTooManyPlaceholders(template: string): boolean {
  let remaining = MAX_PLACEHOLDERS;
  for (const _ of template.matchAll(PLACEHOLDER_PATTERN)) if (--remaining < 0) return true;
  return false;
}

/** Throws VALIDATION_ERROR if the rendered template would be too long, without rendering it. */
export function assertRenderable(
  template: string,
  variables: readonly AgentVariable[],
  values: Record<string, unknown>,
): void {
  assertLength(template, formatValues(template, variables, values));
}

/**
 * Replaces each placeholder by the value of its variable, its default, or an empty string. Placeholders inside values
 * are not replaced. Objects and arrays are formatted as JSON. Throws VALIDATION_ERROR if the result would be too long.
 */
export function render(
  template: string,
  variables: readonly AgentVariable[],
  values: Record<string, unknown>,
): string {
  const texts = formatValues(template, variables, values);
  assertLength(template, texts);
  // A replacement function, because `$&` in a replacement string has a special meaning.
  return template.replace(PLACEHOLDER_PATTERN, (_, name: string) => texts.get(name) ?? '');
}

/** Formats the value of each variable once, however often it is used. */
function formatValues(
  template: string,
  variables: readonly AgentVariable[],
  values: Record<string, unknown>,
): Map<string, string> {
  const presets = new Map(variables.map((variable) => [variable.name, variable.default]));
  return new Map(
    listVariables(template).map((name) => [name, formatValue(getOwn(values, name) ?? presets.get(name))]),
  );
}

function assertLength(template: string, texts: ReadonlyMap<string, string>): void {
  let length = template.length;
  for (const [placeholder, name = ''] of template.matchAll(PLACEHOLDER_PATTERN))
    length += (texts.get(name)?.length ?? 0) - placeholder.length;
  if (length > MAX_PROMPT_LENGTH)
    throw invalid(
      `systemPrompt must have at most ${MAX_PROMPT_LENGTH} characters with its variables filled in, not ${length}`,
    );
}

/** Reads own properties only: `constructor` must not be found in a foreign object. */
function getOwn(values: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(values, name) ? (values[name] ?? undefined) : undefined;
}

function formatValue(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

import type { AgentVariable } from '@platform/contracts';
import { invalid } from '../infra/http/app-error.ts';

/** Keys that `inputs` of an execution keeps for itself; no variable may be called so. */
export const RESERVED_INPUTS = [
  'query',
  'session_id',
  'memory',
  'context',
  'internet',
  'images',
  'audios',
] as const;

/** Placeholders of one prompt, repetitions included. */
export const MAX_PLACEHOLDERS = 1_000;
/** Length of a prompt with its variables filled in, in units of UTF-16. */
const MAX_PROMPT_LENGTH = 1_000_000;

const NAME = String.raw`[\p{L}_][\p{L}\p{N}_-]{0,63}`;
const VARIABLE_NAME = new RegExp(`^${NAME}$`, 'u');
const PLACEHOLDER = new RegExp(String.raw`\{\{\s*(${NAME})\s*\}\}`, 'gu');

/** What is wrong with a name for a variable, or null. */
export function variableNameProblem(name: string): string | null {
  if (!VARIABLE_NAME.test(name)) {
    return 'must be a letter or _ followed by at most 63 letters, digits, _ or -';
  }
  if ((RESERVED_INPUTS as readonly string[]).includes(name)) return `must not be the reserved name ${name}`;
  return null;
}

/** The names of the `{{variables}}` in a template, each once, in their order. */
export function variablesOf(template: string): string[] {
  return [...new Set(Array.from(template.matchAll(PLACEHOLDER), (match) => match[1] ?? ''))];
}

/** Every variable of the template in its order, with what was declared of it; then those it does not use. */
export function mergeVariables(template: string, declared: readonly AgentVariable[]): AgentVariable[] {
  const byName = new Map(declared.map((variable) => [variable.name, variable]));
  const used = new Set(variablesOf(template));
  const unused = declared.filter((variable) => !used.has(variable.name));
  return [...[...used].map((name) => byName.get(name) ?? { name }), ...unused].map((variable) => ({
    ...variable,
    required: variable.required ?? true,
  }));
}

/** The variables that the template needs and that have neither a value nor a default; null counts as no value. */
export function missingVariables(
  template: string,
  variables: readonly AgentVariable[],
  values: Record<string, unknown>,
): string[] {
  return mergeVariables(template, variables)
    .slice(0, variablesOf(template).length)
    .filter(
      ({ name, required, default: preset }) =>
        required && preset === undefined && own(values, name) === undefined,
    )
    .map(({ name }) => name);
}

/** Whether the template has more placeholders than a prompt may have. */
export function hasTooManyPlaceholders(template: string): boolean {
  let left = MAX_PLACEHOLDERS;
  for (const _ of template.matchAll(PLACEHOLDER)) if (--left < 0) return true;
  return false;
}

/** Throws VALIDATION_ERROR if the rendered template would be too long; nothing of that length is built. */
export function assertRenderable(
  template: string,
  variables: readonly AgentVariable[],
  values: Record<string, unknown>,
): void {
  assertLength(template, valueTexts(template, variables, values));
}

/**
 * The template with its variables filled in: value, else default, else nothing. Each is inserted once, so a value
 * that looks like a variable stays as it is; objects and arrays are inserted as JSON. Throws VALIDATION_ERROR if that
 * is too long.
 */
export function render(
  template: string,
  variables: readonly AgentVariable[],
  values: Record<string, unknown>,
): string {
  const texts = valueTexts(template, variables, values);
  assertLength(template, texts);
  // A function as replacement: a string would read `$&` and the like in the values.
  return template.replace(PLACEHOLDER, (_, name: string) => texts.get(name) ?? '');
}

/** The text of each variable of the template, made once however often it is used. */
function valueTexts(
  template: string,
  variables: readonly AgentVariable[],
  values: Record<string, unknown>,
): Map<string, string> {
  const presets = new Map(variables.map((variable) => [variable.name, variable.default]));
  return new Map(variablesOf(template).map((name) => [name, textOf(own(values, name) ?? presets.get(name))]));
}

function assertLength(template: string, texts: ReadonlyMap<string, string>): void {
  let length = template.length;
  for (const [placeholder, name = ''] of template.matchAll(PLACEHOLDER))
    length += (texts.get(name)?.length ?? 0) - placeholder.length;
  if (length > MAX_PROMPT_LENGTH)
    throw invalid(
      `systemPrompt must have at most ${MAX_PROMPT_LENGTH} characters with its variables filled in, not ${length}`,
    );
}

/** Own keys only: `constructor` of a stranger's object is no value. */
function own(values: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(values, name) ? (values[name] ?? undefined) : undefined;
}

function textOf(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

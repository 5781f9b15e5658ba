import type { AgentVariable } from '@platform/contracts';

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
  const used = variablesOf(template);
  const unused = declared.filter((variable) => !used.includes(variable.name));
  return [...used.map((name) => byName.get(name) ?? { name }), ...unused].map((variable) => ({
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

/**
 * The template with its variables filled in: value, else default, else nothing. Each is inserted once, so a value
 * that looks like a variable stays as it is; objects and arrays are inserted as JSON.
 */
export function render(
  template: string,
  variables: readonly AgentVariable[],
  values: Record<string, unknown>,
): string {
  const presets = new Map(variables.map((variable) => [variable.name, variable.default]));
  // A function as replacement: a string would read `$&` and the like in the values.
  return template.replace(PLACEHOLDER, (_, name: string) => textOf(own(values, name) ?? presets.get(name)));
}

/** Own keys only: `constructor` of a stranger's object is no value. */
function own(values: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(values, name) ? (values[name] ?? undefined) : undefined;
}

function textOf(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Source of a regular expression (flag `u`) for the name of a variable in an agent's prompt. */
export const VARIABLE_NAME_PATTERN = String.raw`[\p{L}_][\p{L}\p{N}_-]{0,63}`;

/** Matches the placeholders (`{{name}}`) in an agent's prompt. The name is the first group. */
export const PLACEHOLDER_PATTERN = new RegExp(String.raw`\{\{\s*(${VARIABLE_NAME_PATTERN})\s*\}\}`, 'gu');

/** Returns the names of the placeholders in a template, without repetitions, in order of appearance. */
export function listVariables(template: string): string[] {
  return [...new Set(Array.from(template.matchAll(PLACEHOLDER_PATTERN), (match) => match[1] ?? ''))];
}

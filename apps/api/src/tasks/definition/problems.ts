/** Where a value is in a body: the fields and positions that lead to it. */
export type Path = readonly (string | number)[];

/** What is wrong with a value. The sentence continues its path: "must be a text". */
export interface Problem {
  path: Path;
  text: string;
}

/** A problem as a sentence, such as `workflow.steps.2.agentId must be a text`. */
export function formatProblem({ path, text }: Problem): string {
  return `${path.join('.')} ${text}`;
}

/** A problem as a sentence that starts with a JSON pointer, such as `/tasks/0/workflow/steps/2/agentId must be a text`. */
export function formatPointerProblem(base: string, { path, text }: Problem): string {
  const parts = path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`);
  return `${base}${parts.join('')} ${text}`;
}

/** Returns the problem of one value as a list: empty if there is none. */
export function problemAt(path: Path, text: string | null): Problem[] {
  return text === null ? [] : [{ path, text }];
}

/** Returns the problems of keys that an object must not have. */
export function unknownKeys(value: object, known: readonly string[], path: Path): Problem[] {
  return Object.keys(value)
    .filter((key) => !known.includes(key))
    .slice(0, MAX_UNKNOWN)
    .map((key) => ({ path: [...path, key], text: 'is not a known field' }));
}

const MAX_UNKNOWN = 20;

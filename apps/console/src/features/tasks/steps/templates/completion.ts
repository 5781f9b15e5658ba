import type { Completions } from '../../../../ui/code/code-field-props.ts';

const MAX_ITEMS = 50;
const OPEN_TEMPLATE = /\{\{\s*([^{}]*)$/;
/** A name that may go on; not within a text. */
const OPEN_NAME = /(?<![\w.$'"])[A-Za-z_$][\w.$]+$/;

/** Returns what can complete the template around the caret; null outside of one. */
export function completeTemplate(
  text: string,
  caret: number,
  paths: () => readonly string[],
): Completions | null {
  const typed = OPEN_TEMPLATE.exec(text.slice(0, caret))?.[1];
  if (typed === undefined) return null;
  const rest = /^[^{}\s]*\s*(\}\}?)?/.exec(text.slice(caret))?.[0] ?? '';
  // Without braces behind it, what follows is no part of the template.
  const closing = rest.endsWith('}') ? rest.length : 0;
  const items = filterPaths(paths(), typed).map((label) => ({ label, insert: `${label}}}` }));
  return toCompletions({ from: caret - typed.length, to: caret + closing, items });
}

/** Returns what can complete the name before the caret in a JavaScript expression; null if there is none. */
export function completeExpression(
  text: string,
  caret: number,
  paths: () => readonly string[],
): Completions | null {
  const typed = OPEN_NAME.exec(text.slice(0, caret))?.[0];
  if (typed === undefined) return null;
  const items = paths()
    .map((path) => path.replaceAll(/\.(\d+)(?=\.|$)/g, '[$1]'))
    .filter((path) => path.startsWith(typed) && path !== typed)
    .slice(0, MAX_ITEMS)
    .map((label) => ({ label, insert: label }));
  return toCompletions({ from: caret - typed.length, to: caret, items });
}

function toCompletions(completions: Completions): Completions | null {
  return completions.items.length === 0 ? null : completions;
}

/** Those that begin with what is typed come first. */
function filterPaths(paths: readonly string[], typed: string): string[] {
  const wanted = typed.trim().toLowerCase();
  const matching = paths.filter((path) => path.toLowerCase().includes(wanted));
  const [first, others] = [true, false].map((isFirst) =>
    matching.filter((path) => path.toLowerCase().startsWith(wanted) === isFirst),
  );
  return [...(first ?? []), ...(others ?? [])].slice(0, MAX_ITEMS);
}

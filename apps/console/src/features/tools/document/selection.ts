import type { ImportableOperation } from './import-protocol.ts';

/** What a search for methods looks at. */
interface Searchable {
  name: string;
  httpMethod: string;
  path: string;
  description?: string;
  summary?: string;
}

/** Whether every word of the search occurs in the method, in any order and case. */
export function matchesSearch(method: Searchable, search: string): boolean {
  const { name, httpMethod, path, description = '', summary = '' } = method;
  const text = [name, httpMethod, path, description, summary].join('\n').toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Of a document with more methods, only the user knows which are needed. */
const MAX_SUGGESTED = 20;

/** The methods that are chosen at first: all of a small document. */
export function suggestChoice(operations: readonly ImportableOperation[]): ReadonlySet<string> {
  const usable = operations.filter(({ report }) => report.fidelity !== 'skipped');
  return new Set(usable.length > MAX_SUGGESTED ? [] : usable.map(({ operationKey }) => operationKey));
}

/** The choice after the given keys were added or removed. The others stay as they are. */
export function changeSelection(
  selected: ReadonlySet<string>,
  keys: readonly string[],
  isChosen: boolean,
): Set<string> {
  const next = new Set(selected);
  for (const key of keys) {
    if (isChosen) next.add(key);
    else next.delete(key);
  }
  return next;
}

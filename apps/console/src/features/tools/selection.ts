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

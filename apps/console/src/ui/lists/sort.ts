/** What a column is sorted by. Nothing to sort by comes last in both directions. */
export type SortValue = string | number | boolean | null | undefined;

export interface Sorting {
  /** The key of a column. */
  key: string;
  descending: boolean;
}

/** Parses `name` or, for descending, `-name`. URLs are foreign data: keys that do not exist are ignored. */
export function parseSorting(text: string | null, keys: string[]): Sorting | undefined {
  if (text === null) return undefined;
  const descending = text.startsWith('-');
  const key = descending ? text.slice(1) : text;
  return keys.includes(key) ? { key, descending } : undefined;
}

export function formatSorting({ key, descending }: Sorting): string {
  return descending ? `-${key}` : key;
}

/** Returns what a click on the heading of a column leads to: its first direction, the other one, no sorting. */
export function nextSorting(
  current: Sorting | undefined,
  key: string,
  descendingFirst: boolean,
): Sorting | undefined {
  if (current?.key !== key) return { key, descending: descendingFirst };
  return current.descending === descendingFirst ? { key, descending: !descendingFirst } : undefined;
}

/** Sorts without changing the order of equal items. Text is compared as readers of the language expect. */
export function sortItems<T>(
  items: readonly T[],
  sortBy: (item: T) => SortValue,
  descending: boolean,
  language: string,
): T[] {
  const collator = new Intl.Collator(language, { numeric: true });
  const sign = descending ? -1 : 1;
  const valued = items.map((item) => ({ item, value: sortBy(item) ?? null }));
  return valued
    .sort(({ value: a }, { value: b }) => {
      if (a === null || b === null) return Number(a === null) - Number(b === null);
      if (typeof a === 'string' || typeof b === 'string')
        return sign * collator.compare(String(a), String(b));
      return sign * (Number(a) - Number(b));
    })
    .map(({ item }) => item);
}

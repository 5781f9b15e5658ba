import { useLocation, useSearchParams, type Location } from 'react-router';

/** The last change, and the page that it was made on: until another one is shown, the next change adds to it. */
let last: { on: Pick<Location, 'key' | 'search'>; query: URLSearchParams } | null = null;

/**
 * The fields in the query of the page's URL, and a function that changes some of them; undefined removes one. A change
 * replaces the entry of the history. Several changes of one moment are all kept, whoever makes them.
 */
export function useSearchFields(): [
  URLSearchParams,
  (changes: Readonly<Record<string, string | undefined>>) => void,
] {
  const [shown, setSearch] = useSearchParams();
  const { key, search } = useLocation();
  const change = (changes: Readonly<Record<string, string | undefined>>) => {
    const query = last?.on.key === key && last.on.search === search ? last.query : new URLSearchParams(shown);
    for (const [name, value] of Object.entries(changes)) {
      if (value === undefined) query.delete(name);
      else query.set(name, value);
    }
    last = { on: { key, search }, query };
    setSearch(query, { replace: true });
  };
  return [shown, change];
}

import { useSearchParams } from 'react-router';

/**
 * The fields in the query of the page's URL, and a function that changes some of them; undefined removes one. A change
 * replaces the entry of the history.
 */
export function useSearchFields(): [
  URLSearchParams,
  (changes: Readonly<Record<string, string | undefined>>) => void,
] {
  const [search, setSearch] = useSearchParams();
  const change = (changes: Readonly<Record<string, string | undefined>>) =>
    setSearch(
      (before) => {
        for (const [name, value] of Object.entries(changes)) {
          if (value === undefined) before.delete(name);
          else before.set(name, value);
        }
        return before;
      },
      { replace: true },
    );
  return [search, change];
}

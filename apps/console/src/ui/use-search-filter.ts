import { useSearchParams } from 'react-router';

/** A filter in the URL, or undefined if it is not set. Values that are not in `allowed` are ignored. */
export function useSearchFilter<T extends string>(
  name: string,
  allowed?: readonly T[],
): [T | undefined, (value: T | undefined) => void] {
  const [search, setSearch] = useSearchParams();
  const value = (search.get(name) ?? undefined) as T | undefined;
  const set = (next: T | undefined) =>
    setSearch(
      (before) => {
        if (next === undefined) before.delete(name);
        else before.set(name, next);
        return before;
      },
      { replace: true },
    );
  return [value !== undefined && allowed?.includes(value) === false ? undefined : value, set];
}

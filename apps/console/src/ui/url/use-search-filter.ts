import { useSearchFields } from './use-search-fields.ts';

/** A filter in the URL, or undefined if it is not set. Values that are not in `allowed` are ignored. */
export function useSearchFilter<T extends string>(
  name: string,
  allowed?: readonly T[],
): [T | undefined, (value: T | undefined) => void] {
  const [search, change] = useSearchFields();
  const value = (search.get(name) ?? undefined) as T | undefined;
  const set = (next: T | undefined) => change({ [name]: next });
  return [value !== undefined && allowed?.includes(value) === false ? undefined : value, set];
}

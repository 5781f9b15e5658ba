import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { SEARCH_AFTER_MS, useSettled } from '../browser/use-settled.ts';
import type { Named, NamedSource } from './named-source.ts';

interface Offered<Item> {
  items: readonly Item[];
  /** Whether there are no others that the text would find. */
  isAll: boolean;
  /** Whether the items are those that the text finds, and not of an earlier text. */
  isLoaded: boolean;
  isLoading: boolean;
  /** The list cannot be loaded, so that it is not searched either. */
  isError: boolean;
  /** What the text finds cannot be loaded. */
  isSearchError: boolean;
}

/** What a field offers: the first items by name, or those that its text finds. */
export function useOffered<Item extends Named, Filter extends object>(
  source: NamedSource<Item, Filter>,
  text: string,
  filter?: Partial<Filter>,
): Offered<Item> {
  const sought = useSettled(text.trim(), SEARCH_AFTER_MS);
  const { isError } = useQuery(source.offeredQuery('', filter));
  const { data, isFetching, isPlaceholderData, isLoadingError } = useQuery({
    ...source.offeredQuery(sought, filter),
    enabled: !isError,
    placeholderData: keepPreviousData,
  });
  return {
    items: data?.items ?? [],
    isAll: data?.isAll ?? false,
    isLoaded: data !== undefined && !isPlaceholderData && sought === text.trim(),
    isLoading: isFetching,
    isError,
    isSearchError: isLoadingError,
  };
}

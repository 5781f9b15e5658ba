import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { SEARCH_AFTER_MS, useSettled } from '../browser/use-settled.ts';
import type { Named, NamedSource } from './named-source.ts';

export interface Offered<Item> {
  items: readonly Item[];
  /** Whether nothing else would be found with the same text. */
  isAll: boolean;
  isLoading: boolean;
  /** They could not be loaded. */
  isError: boolean;
}

/** What a field offers: the first items by name, or those that its text finds. */
export function useOffered<Item extends Named, Filter extends object>(
  source: NamedSource<Item, Filter>,
  text: string,
  filter?: Partial<Filter>,
): Offered<Item> {
  const sought = useSettled(text.trim(), SEARCH_AFTER_MS);
  const { data, isFetching, isError } = useQuery({
    ...source.offeredQuery(sought, filter),
    placeholderData: keepPreviousData,
  });
  return {
    items: data?.items ?? [],
    isAll: data?.isAll ?? false,
    isLoading: isFetching || sought !== text.trim(),
    isError,
  };
}

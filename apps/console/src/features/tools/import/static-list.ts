import type { List } from '../../../ui/lists/use-list.ts';

/** Items that are already loaded, as a list. */
export function toStaticList<T>(items: T[]): List<T> {
  return {
    items,
    loading: false,
    error: null,
    hasMore: false,
    loadingMore: false,
    moreError: null,
    loadMore: () => undefined,
    retry: () => undefined,
  };
}

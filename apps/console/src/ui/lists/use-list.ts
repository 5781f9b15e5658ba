import type { Page, PageQuery } from '@platform/contracts';
import { useInfiniteQuery, type QueryKey } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';

export interface List<T> {
  items: T[];
  loading: boolean;
  error: Error | null;
  hasMore: boolean;
  loadingMore: boolean;
  loadMoreFailed: boolean;
  loadMore: () => void;
  retry: () => void;
}

/** Loads a list of the API page by page. */
export function useList<T>(
  queryKey: QueryKey,
  fetchPage: (page: PageQuery) => Promise<Page<T>>,
  options: {
    enabled?: boolean;
    /** Milliseconds after which an item has to be loaded again; false if it does not change by itself. */
    refreshAfter?: (item: T) => number | false;
  } = {},
): List<T> {
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => fetchPage({ limit: 100, ...(pageParam !== null && { cursor: pageParam }) }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.nextCursor,
    enabled: options.enabled ?? true,
    refetchInterval: ({ state }) => {
      const pages = state.data?.pages ?? [];
      const after = shortest(
        pages.flatMap((page) => page.items).map((item) => options.refreshAfter?.(item) ?? false),
      );
      // All pages are loaded, one after the other: a long list must not take more requests than a short one.
      return after === false ? false : after * pages.length;
    },
  });
  // The same while nothing new arrives, so that what is drawn from them is not drawn again.
  const items = useMemo(() => query.data?.pages.flatMap((page) => page.items) ?? [], [query.data]);
  return {
    items,
    loading: query.isPending,
    // A failed reload keeps the items on the screen.
    error: query.data === undefined ? query.error : null,
    hasMore: query.hasNextPage,
    loadingMore: query.isFetchingNextPage,
    loadMoreFailed: query.isFetchNextPageError,
    loadMore: () => void query.fetchNextPage(),
    retry: () => void query.refetch(),
  };
}

/** The shortest of some times; false if there is none. */
export function shortest(times: readonly (number | false)[]): number | false {
  return times.reduce(
    (least, time) => (least === false || (time !== false && time < least) ? time : least),
    false,
  );
}

/** Loads page after page while they are wanted. After one that could not be loaded, the user decides. */
export function useLoadMore<T>(list: List<T>, wanted: boolean): void {
  const { hasMore, loadingMore, loadMoreFailed, loadMore } = list;
  const isDue = wanted && hasMore && !loadingMore && !loadMoreFailed;
  useEffect(() => {
    if (isDue) loadMore();
  }, [isDue, loadMore]);
}

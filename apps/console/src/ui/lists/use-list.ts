import type { Page, PageQuery } from '@platform/contracts';
import { useInfiniteQuery, type QueryKey } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';

export interface List<T> {
  items: T[];
  loading: boolean;
  error: Error | null;
  hasMore: boolean;
  loadingMore: boolean;
  /** Why the next page could not be loaded; null unless that was tried last. */
  moreError: Error | null;
  /** How many pages at the end have no items, although more may follow. */
  emptyPages?: number;
  /** How many rows the service has looked at, if it says so. */
  searched?: number | undefined;
  loadMore: () => void;
  retry: () => void;
}

/** Searches in vain that are continued without being asked. */
const UNASKED_PAGES = 10;

/** Loads a list of the API page by page. */
export function useList<T>(
  queryKey: QueryKey,
  fetchPage: (page: PageQuery) => Promise<Page<T>>,
  options: {
    enabled?: boolean;
    /** Whether what is loaded stays as it is, whatever changes. Further pages can be loaded. */
    isFrozen?: boolean;
    /** Milliseconds after which an item has to be loaded again; false if it does not change by itself. */
    refreshAfter?: (item: T) => number | false;
  } = {},
): List<T> {
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => fetchPage({ limit: 100, ...(pageParam !== null && { cursor: pageParam }) }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.nextCursor,
    enabled: ({ state }) =>
      (options.enabled ?? true) && !(options.isFrozen === true && state.data !== undefined),
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
  const pages = query.data?.pages ?? [];
  return {
    items,
    emptyPages: pages.length - 1 - pages.findLastIndex((page) => page.items.length > 0),
    searched: countSearched(pages),
    loading: query.isPending,
    // A failed reload keeps the items on the screen.
    error: query.data === undefined ? query.error : null,
    hasMore: query.hasNextPage,
    loadingMore: query.isFetchingNextPage,
    moreError: query.isFetchNextPageError ? query.error : null,
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
  const { hasMore, loadingMore, moreError, loadMore } = list;
  const isDue = wanted && hasMore && !loadingMore && moreError === null;
  useEffect(() => {
    if (isDue) loadMore();
  }, [isDue, loadMore]);
}

/** Whether so many pages in a row have no items that the user decides whether to go on. */
export const isInVain = ({ emptyPages = 0 }: Pick<List<unknown>, 'emptyPages'>): boolean =>
  emptyPages > 0 && emptyPages % UNASKED_PAGES === 0;

/** A page of a rare filter can be empty although more follow: loads more until there is an item, which counts as loading. */
export function useFirstItems<T>(list: List<T>): List<T> {
  const isSearching =
    list.items.length === 0 &&
    list.hasMore &&
    list.moreError === null &&
    (!isInVain(list) || list.loadingMore);
  useLoadMore(list, isSearching);
  return isSearching ? { ...list, loading: true } : list;
}

/** Lists whose searches are bounded tell how many of their rows they have looked at. */
function countSearched(
  pages: readonly (Page<unknown> & { searched?: { envelopes?: number; runs?: number } })[],
) {
  const counts = pages.flatMap(({ searched }) => searched?.envelopes ?? searched?.runs ?? []);
  return counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + count, 0);
}

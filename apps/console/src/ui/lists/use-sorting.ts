import { useTranslation } from 'react-i18next';
import type { Column } from './column.ts';
import { formatSorting, parseSorting, sortItems, type Sorting } from './sort.ts';
import { useLoadMore, type List } from './use-list.ts';
import { useSearchFilter } from '../url/use-search-filter.ts';

export interface SortedList<T> {
  items: T[];
  /** Undefined in the order of the service. */
  sorting: Sorting | undefined;
  sort: (sorting: Sorting | undefined) => void;
  /** Pages are still missing. Only whole lists are sorted here. */
  loading: boolean;
}

/** Sorts the items by the column in the URL, after it has loaded the whole list, unless the service has sorted them. */
export function useSorting<T>(list: List<T>, items: T[], columns: Column<T>[]): SortedList<T> {
  const { i18n } = useTranslation();
  const [text, setText] = useSearchFilter('sort');
  const sortable = columns.filter(({ sortBy }) => sortBy !== undefined);
  const sorting = parseSorting(
    text ?? null,
    sortable.map(({ key }) => key),
  );
  const sortBy = sortable.find(({ key }) => key === sorting?.key)?.sortBy;
  const { hasMore, moreError } = list;
  const isSortedHere = sorting !== undefined && typeof sortBy === 'function';
  useLoadMore(list, isSortedHere);

  return {
    items: isSortedHere && !hasMore ? sortItems(items, sortBy, sorting.descending, i18n.language) : items,
    // If a page cannot be loaded, the list is in the order of the service, with a button that tries again.
    sorting: isSortedHere && moreError !== null && hasMore ? undefined : sorting,
    sort: (next) => setText(next && formatSorting(next)),
    loading: isSortedHere && hasMore && moreError === null,
  };
}

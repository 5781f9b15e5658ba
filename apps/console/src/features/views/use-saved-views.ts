import type { SavedView, SavedViewPage } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { keys, queryClient } from '../../api.ts';
import { useSearchFields } from '../../ui/url/use-search-fields.ts';
import { filtersOf, VIEW_PAGES } from './view-pages.ts';
import { viewsQuery } from './views-query.ts';

export interface SavedViews {
  views: SavedView[];
  /** The filters as they are now. */
  current: string;
  /** The view that the URL names, or else the one with these filters. */
  active: SavedView | undefined;
  /** Whether the filters differ from those of the active view. */
  isChanged: boolean;
  /** Sets the filters of a view; undefined removes all filters. */
  apply: (view: SavedView | undefined) => void;
  /** Says which view the filters in the URL belong to. */
  name: (view: SavedView | undefined) => void;
}

/** The views of a list, by name, and the one that is shown. */
export function useSavedViews(page: SavedViewPage): SavedViews {
  const [search, change] = useSearchFields();
  const loaded = useQuery({ ...viewsQuery(page), select: sortViews });
  const views = loaded.data ?? [];
  const current = filtersOf(page, search);
  const active =
    views.find(({ id }) => id === search.get('view')) ??
    views.find(({ query }) => current !== '' && filtersOf(page, query) === current);

  const name = (view: SavedView | undefined) => change({ view: view?.id });
  const apply = (view: SavedView | undefined) => {
    const filters = new URLSearchParams(view && filtersOf(page, view.query));
    const changes: Record<string, string | undefined> = {};
    for (const field of VIEW_PAGES[page].fields) changes[field] = filters.get(field) ?? undefined;
    change({ ...changes, view: view?.id });
  };
  const isChanged = active !== undefined && filtersOf(page, active.query) !== current;
  return { views, current, active, isChanged, apply, name };
}

export function reloadViews(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: keys.savedViews });
}

function sortViews(views: SavedView[]): SavedView[] {
  return views.toSorted((a, b) => a.name.localeCompare(b.name));
}

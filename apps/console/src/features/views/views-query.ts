import type { SavedViewPage } from '@platform/contracts';
import { queryOptions } from '@tanstack/react-query';
import { client, keys } from '../../api.ts';
import { loadAllItems } from '../../ui/lists/load-all-items.ts';

/** The views of a list. */
export const viewsQuery = (page: SavedViewPage) =>
  queryOptions({
    queryKey: [...keys.savedViews, page],
    queryFn: () => loadAllItems((query) => client.savedViews.list({ ...query, page })),
  });

/** The views of all lists that the user may open. */
export const allViewsQuery = queryOptions({
  queryKey: [...keys.savedViews, 'all'],
  queryFn: () => loadAllItems((query) => client.savedViews.list(query)),
});

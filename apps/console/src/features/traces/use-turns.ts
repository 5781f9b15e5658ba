import type { TurnListing } from '@platform/contracts';
import { client, keys } from '../../api.ts';
import { useSettled } from '../../ui/browser/use-settled.ts';
import { useFirstItems, useList, type List } from '../../ui/lists/use-list.ts';
import { useTurnQuery, type TurnFilters } from './use-turn-filters.ts';

const REFRESH_MS = 3_000;
/** Typing goes on for a while before a search is sent. */
const SEARCH_AFTER_MS = 250;

const isLive = ({ status }: TurnListing): boolean => status === 'RUNNING' || status === 'QUEUED';

/** The turns that match, reloaded while one runs. */
export function useTurns(filters: TurnFilters, wanted: string): List<TurnListing> {
  const searched = useSettled(wanted.trim(), SEARCH_AFTER_MS);
  const figures = useTurnQuery(filters);
  // The titles of others are private, so the turns of the space cannot be searched.
  const query = searched === '' || filters.scope === 'space' ? figures : { ...figures, search: searched };
  const list = useList<TurnListing>(
    [...keys.turns, query],
    (page) => client.turns.list({ ...page, ...query }),
    { refreshAfter: (turn) => isLive(turn) && REFRESH_MS },
  );
  return useFirstItems(list);
}

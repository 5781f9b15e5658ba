import { queryOptions } from '@tanstack/react-query';
import { client, keys } from '../../api.ts';

const REFRESH_MS = 15_000;

/** How many questions wait for the user, for the badge of the navigation. */
export const inboxCountQuery = queryOptions({
  queryKey: keys.inboxCount,
  queryFn: () => client.inbox.count(),
  refetchInterval: REFRESH_MS,
});

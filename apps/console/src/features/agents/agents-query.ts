import { queryOptions } from '@tanstack/react-query';
import { client, keys } from '../../api.ts';
import { loadAllItems } from '../../ui/lists/load-all-items.ts';

/** All agents that the caller can see. */
export const allAgentsQuery = queryOptions({
  queryKey: [...keys.agents, 'all'],
  queryFn: () => loadAllItems((page) => client.agents.list(page)),
});

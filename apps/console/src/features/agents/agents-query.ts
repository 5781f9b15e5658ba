import { queryOptions } from '@tanstack/react-query';
import { client, keys } from '../../api.ts';
import { allItems } from '../../ui/all-items.ts';

/** All agents that the caller can see. */
export const allAgentsQuery = queryOptions({
  queryKey: [...keys.agents, 'all'],
  queryFn: () => allItems((page) => client.agents.list(page)),
});

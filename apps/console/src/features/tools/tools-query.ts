import type { ToolListing } from '@platform/contracts';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client, keys } from '../../api.ts';
import { namedSource } from '../../ui/names/named-source.ts';

/** The tools of the space and of the platform. */
export const toolNames = namedSource<ToolListing>(keys.tools, (query) => client.tools.list(query));

export const toolQuery = (toolId: string) =>
  queryOptions({ queryKey: keys.tool(toolId), queryFn: () => client.tools.get(toolId) });

/** Some tools without their methods. Those that do not exist are left out. */
export const toolListingsQuery = (ids: readonly string[]) =>
  queryOptions({
    queryKey: [...keys.tools, 'listings', ids],
    queryFn: async () => (ids.length === 0 ? [] : (await client.tools.list({ ids })).items),
    placeholderData: keepPreviousData,
  });

import { queryOptions } from '@tanstack/react-query';
import { client, keys } from '../../api.ts';
import { loadAllItems } from '../../ui/lists/load-all-items.ts';

/** The tools of the space and of the platform, without their methods. */
export const allToolsQuery = queryOptions({
  queryKey: [...keys.tools, 'all'],
  queryFn: () => loadAllItems((page) => client.tools.list(page)),
});

export const toolQuery = (toolId: string) =>
  queryOptions({ queryKey: keys.tool(toolId), queryFn: () => client.tools.get(toolId) });

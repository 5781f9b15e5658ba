import { queryOptions } from '@tanstack/react-query';
import { client, keys } from '../../api.ts';
import { loadAllItems } from '../../ui/lists/load-all-items.ts';

/** All tasks that the caller can see. */
export const allTasksQuery = queryOptions({
  queryKey: [...keys.tasks, 'all'],
  queryFn: () => loadAllItems((page) => client.tasks.list(page)),
});

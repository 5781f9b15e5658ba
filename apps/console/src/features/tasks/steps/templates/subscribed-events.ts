import { queryOptions } from '@tanstack/react-query';
import { client, keys } from '../../../../api.ts';
import { loadAllItems } from '../../../../ui/lists/load-all-items.ts';
import { formatEventKey } from '../../../events/catalog/catalog-query.ts';

/** The keys of the events to which a task subscribes. Only for admins. */
export const subscribedEventsQuery = (taskId: string) =>
  queryOptions({
    queryKey: [...keys.subscriptions, 'of', taskId],
    queryFn: async () => {
      const subscriptions = await loadAllItems((page) => client.events.subscriptions({ ...page, taskId }));
      return [...new Set(subscriptions.map(formatEventKey))];
    },
  });

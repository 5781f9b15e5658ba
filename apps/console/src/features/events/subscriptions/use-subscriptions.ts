import type { Subscription } from '@platform/contracts';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../../api.ts';
import { useConfirmDelete } from '../../../ui/forms/use-confirm-delete.ts';
import { useList } from '../../../ui/lists/use-list.ts';
import { parseEventKey } from '../catalog/catalog-query.ts';

/** The subscriptions to an event, or all, and a function that deletes one after a confirmation. */
export function useSubscriptions(eventKey: string | undefined) {
  const { t } = useTranslation();
  const confirmDelete = useConfirmDelete();
  const filter = eventKey === undefined ? {} : parseEventKey(eventKey);
  const list = useList<Subscription>([...keys.subscriptions, filter], (page) =>
    client.events.subscriptions({ ...page, ...filter }),
  );

  const remove = (subscription: Subscription) =>
    confirmDelete({
      title: t('subscriptions.deleteTitle', { event: subscription.event }),
      text: t(
        subscription.origin === 'APP_DEFAULT'
          ? 'subscriptions.deleteDefaultText'
          : 'subscriptions.deleteText',
        { task: subscription.taskName },
      ),
      run: async () => {
        await client.events.deleteSubscription(subscription.id);
        await queryClient.invalidateQueries({ queryKey: keys.subscriptions });
      },
    });
  return { list, remove };
}

import type { ApiKey } from '@platform/contracts';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../api.ts';
import { useConfirmDelete } from '../../ui/forms/use-confirm-delete.ts';
import { useList } from '../../ui/lists/use-list.ts';

/** The keys of the space, and a function that revokes one after a confirmation. */
export function useApiKeys() {
  const { t } = useTranslation();
  const confirmDelete = useConfirmDelete();
  const list = useList<ApiKey>(keys.apiKeys, (page) => client.apiKeys.list(page));

  const revoke = (key: ApiKey) =>
    confirmDelete({
      title: t('apiKeys.revokeTitle', { name: key.name }),
      text: t('apiKeys.revokeText'),
      verb: t('apiKeys.revoke'),
      run: async () => {
        await client.apiKeys.delete(key.id);
        await queryClient.invalidateQueries({ queryKey: keys.apiKeys });
      },
    });
  return { list, revoke };
}

import type { KnowledgeDocument } from '@platform/contracts';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../api.ts';
import { useConfirmDelete } from '../../ui/forms/use-confirm-delete.ts';
import { useList } from '../../ui/lists/use-list.ts';

const WATCH_MS = 1_500;

/** The documents of the space, reloaded while one is processed, and a function that deletes one after a confirmation. */
export function useDocuments() {
  const { t } = useTranslation();
  const confirm = useConfirmDelete();
  const list = useList<KnowledgeDocument>(keys.knowledge, (page) => client.knowledge.listDocuments(page), {
    refreshAfter: ({ status }) => status === 'PROCESSING' && WATCH_MS,
  });

  const remove = ({ id, title }: KnowledgeDocument) =>
    confirm({
      title: t('knowledge.deleteTitle', { title }),
      text: t('knowledge.deleteText'),
      run: async () => {
        await client.knowledge.deleteDocument(id);
        await queryClient.invalidateQueries({ queryKey: keys.knowledge });
      },
    });
  return { list, remove };
}

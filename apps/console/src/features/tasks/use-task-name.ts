import { useTranslation } from 'react-i18next';
import { client, keys } from '../../api.ts';
import { useNames } from '../../ui/lists/use-names.ts';

/** Returns a function for the names of tasks, also of deleted ones. Only the names that it is asked for are loaded. */
export function useTaskName(): (task: { taskId: string }) => string {
  const { t } = useTranslation();
  const nameOf = useNames(
    keys.tasks,
    async (ids) => (await client.tasks.list({ ids })).items,
    t('tasks.deleted'),
  );
  return ({ taskId }) => nameOf(taskId) ?? '…';
}

import type { Task } from '@platform/contracts';
import { useTranslation } from 'react-i18next';
import { client, keys } from '../../api.ts';
import { namedSource } from '../../ui/names/named-source.ts';
import { useNames } from '../../ui/names/use-names.ts';

export const taskNames = namedSource<Task, Pick<Task, 'type'>>(keys.tasks, (query, filter) =>
  client.tasks.list({ ...query, ...filter }),
);

/** Returns a function for the names of tasks, also of deleted ones. Only the names that it is asked for are loaded. */
export function useTaskName(): (task: { taskId: string }) => string {
  const { t } = useTranslation();
  const nameOf = useNames(taskNames);
  return ({ taskId }) => {
    const name = nameOf(taskId);
    return name === null ? t('tasks.deleted') : (name ?? '…');
  };
}

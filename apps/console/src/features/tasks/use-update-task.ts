import type { Task, UpdateTaskRequest } from '@platform/contracts';
import { App } from 'antd';
import { useTranslation } from 'react-i18next';
import { client } from '../../api.ts';
import { getErrorMessage, isConflict } from '../../ui/layout/errors.ts';
import { useDisableTask } from './use-disable-task.tsx';

/** Whether the change was stored. `isLatest`: whether nothing more was entered meanwhile. */
export type SaveTask = (change: UpdateTaskRequest, isLatest: () => boolean) => Promise<boolean>;

/**
 * Returns a function that changes a task, unless somebody has changed it since it was loaded: then it offers to load that. Asks
 * what becomes of runs if the task is disabled. Resolves to null if nothing was changed.
 */
export function useUpdateTask(
  onReload: (task: Task) => void,
): (loaded: Task, change: UpdateTaskRequest) => Promise<Task | null> {
  const { t } = useTranslation();
  const { modal } = App.useApp();
  const askForRuns = useDisableTask();
  return async (loaded, change) => {
    const { id, enabled, updatedAt } = loaded;
    const runs = enabled && change.enabled === false ? await askForRuns(loaded) : undefined;
    if (runs === null) return null;
    try {
      return await client.tasks.update(id, { ...change, ...(runs && { runs }), updatedAt });
    } catch (error) {
      // There are other conflicts.
      const current = isConflict(error) ? await client.tasks.get(id) : loaded;
      if (current.updatedAt === updatedAt) throw error;
      modal.confirm({
        title: t('tasks.staleTitle'),
        content: getErrorMessage(error, t),
        okText: t('agents.staleReload'),
        cancelText: t('common.cancel'),
        onOk: () => onReload(current),
      });
      return null;
    }
  };
}

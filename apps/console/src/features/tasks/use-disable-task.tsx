import type { Task, UpdateTaskRequest } from '@platform/contracts';
import { App, Radio } from 'antd';
import { useTranslation } from 'react-i18next';
import { client } from '../../api.ts';

type RunsOfDisabled = NonNullable<UpdateTaskRequest['runs']>;

const CHOICES: readonly RunsOfDisabled[] = ['KEEP', 'CANCEL_QUEUED', 'CANCEL'];

/**
 * Returns a function that asks what becomes of the runs of a task that is about to be disabled. It resolves to null if the user
 * changes their mind, and asks nothing if no run waits or executes.
 */
export function useDisableTask(): (task: Pick<Task, 'id' | 'name'>) => Promise<RunsOfDisabled | null> {
  const { t } = useTranslation();
  const { modal } = App.useApp();
  return async ({ id, name }) => {
    if (!(await hasOpenRuns(id))) return 'KEEP';
    let chosen: RunsOfDisabled = 'KEEP';
    const isConfirmed = await modal.confirm({
      title: t('tasks.disableTitle', { name }),
      content: (
        <Radio.Group
          className="stack"
          aria-label={t('tasks.disableRuns')}
          defaultValue={chosen}
          onChange={({ target }) => (chosen = target.value as RunsOfDisabled)}
          options={CHOICES.map((value) => ({ value, label: t(`tasks.runsOfDisabled.${value}`) }))}
        />
      ),
      okText: t('tasks.disable'),
      cancelText: t('common.cancel'),
    });
    return isConfirmed ? chosen : null;
  };
}

async function hasOpenRuns(taskId: string): Promise<boolean> {
  const lists = (['QUEUED', 'RUNNING'] as const).map((status) =>
    client.tasks.runs(taskId, { status, limit: 1 }),
  );
  return (await Promise.all(lists)).some(({ items }) => items.length > 0);
}

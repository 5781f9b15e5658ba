import { TASK_TYPES } from '@platform/contracts';
import { useMutation } from '@tanstack/react-query';
import { App } from 'antd';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { client, keys, queryClient } from '../../api.ts';
import { paths } from '../../paths.ts';
import { Page } from '../../ui/layout/page.tsx';
import { useSearchFilter } from '../../ui/url/use-search-filter.ts';
import { TaskFormCards } from './task-form.tsx';
import { createTaskForm, toTaskRequest, type TaskForm } from './task.ts';
import { findTimezone } from './timezone.ts';

export function Component() {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const navigate = useNavigate();
  const [type = 'MANUAL'] = useSearchFilter('type', TASK_TYPES);
  const create = useMutation({
    mutationFn: (values: TaskForm) => client.tasks.create(toTaskRequest(values)),
    onSuccess: async (task) => {
      void message.success(t('tasks.created', { name: task.name }));
      queryClient.setQueryData(keys.task(task.id), task);
      void queryClient.invalidateQueries({ queryKey: keys.tasks, refetchType: 'none' });
      await navigate(paths.task(task.id));
    },
  });
  return (
    <Page
      title={t('taskForm.newTitle')}
      description={t('taskForm.newText')}
      parent={{ to: paths.tasks, label: t('tasks.title') }}
    >
      <TaskFormCards
        initial={createTaskForm(type, findTimezone())}
        submitLabel={t('tasks.create')}
        saved={create.isSuccess}
        onSubmit={(values) => create.mutateAsync(values)}
        onCancel={() => void navigate(paths.tasks)}
      />
    </Page>
  );
}

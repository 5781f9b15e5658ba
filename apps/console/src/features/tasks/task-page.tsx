import { CaretRightOutlined, DeleteOutlined, ExperimentOutlined } from '@ant-design/icons';
import type { Task } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { App, Button, Tabs } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate, useParams } from 'react-router';
import { client, keys, queryClient } from '../../api.ts';
import { paths } from '../../paths.ts';
import { forgetInput } from '../../ui/browser/unsaved-input.ts';
import { Page } from '../../ui/layout/page.tsx';
import { EmptyState } from '../../ui/layout/states.tsx';
import { useConfirmDelete } from '../../ui/forms/use-confirm-delete.ts';
import { FormOf } from '../../ui/forms/form-of.tsx';
import { useSearchFilter } from '../../ui/url/use-search-filter.ts';
import { RunsList } from '../runs/runs-list.tsx';
import { ApplicationTask } from './application-task.tsx';
import { OwnerButton } from './owner-dialog.tsx';
import { RunDialog } from './run-dialog.tsx';
import { ScheduledTimes } from './triggers/scheduled-times.tsx';
import { TaskFormCards } from './task-form.tsx';
import { TaskSummary } from './task-summary.tsx';
import { toTaskForm, toTaskRequest, type TaskForm } from './task.ts';
import { findTimezone } from './timezone.ts';
import { useTaskTest, type TaskTest } from './testing/use-task-test.ts';
import { TaskVersions } from './versions/task-versions.tsx';
import { useUpdateTask, type SaveTask } from './use-update-task.ts';

const TABS = ['runs', 'definition', 'versions', 'times'] as const;

export function Component() {
  const { taskId = '' } = useParams();
  const task = useQuery({ queryKey: keys.task(taskId), queryFn: () => client.tasks.get(taskId) });
  return (
    <FormOf query={task} id={taskId}>
      {(stored) => <TaskDetails task={stored} />}
    </FormOf>
  );
}

function TaskDetails({ task }: { task: Task }) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const [tab = 'definition', setTab] = useSearchFilter('tab', TABS);
  // The form is reset only if the stored task differs from the one it was opened with.
  const [opened, setOpened] = useState(task);
  /** What the form was drawn with. What is entered while it is saved stays in it. */
  const [drawn, setDrawn] = useState(task.updatedAt);
  const test = useTaskTest(opened);

  const show = (stored: Task) => {
    queryClient.setQueryData(keys.task(task.id), stored);
    void queryClient.invalidateQueries({ queryKey: keys.tasks });
  };
  const load = (stored: Task, isLatest = true) => {
    show(stored);
    setOpened(stored);
    if (isLatest) setDrawn(stored.updatedAt);
  };
  const keep = (stored: Task, isLatest = true) => {
    load(stored, isLatest);
    void message.success(t('tasks.saved'));
  };
  const update = useUpdateTask(load);
  const save: SaveTask = async (change, isLatest) => {
    const stored = await update(opened, change);
    if (stored !== null) keep(stored, isLatest());
    return stored !== null;
  };
  return (
    <Page
      title={task.name}
      description={<TaskSummary task={task} />}
      parent={{ to: paths.tasks, label: t('tasks.title') }}
      actions={
        <TaskActions
          task={task}
          onOwnerChanged={(stored) => {
            show(stored);
            // The definition is not affected.
            setOpened({ ...opened, updatedAt: stored.updatedAt });
            void message.success(t('tasks.saved'));
          }}
          onTest={() => {
            setTab('definition');
            test.setOpen(true);
          }}
        />
      }
    >
      <Tabs
        className="task-tabs"
        activeKey={tab}
        onChange={(key) => setTab(TABS.find((one) => one === key))}
        items={[
          {
            // Stays while another tab is shown, with what was entered.
            key: 'definition',
            label: t('tasks.definition'),
            children: <Definition task={opened} drawn={drawn} onSave={save} test={test} />,
          },
          {
            key: 'runs',
            destroyOnHidden: true,
            label: t('runs.title'),
            children: <TaskRuns task={task} />,
          },
          {
            key: 'versions',
            destroyOnHidden: true,
            label: t('versions.title'),
            children: <TaskVersions task={task} onRestored={keep} />,
          },
          ...listTimesTabs(task, t('tasks.scheduledTimes')),
        ]}
      />
    </Page>
  );
}

interface DefinitionProps {
  task: Task;
  /** Changes when the form has to be drawn anew. */
  drawn: string;
  onSave: SaveTask;
  test: TaskTest;
}

function Definition({ task, drawn, onSave, test }: DefinitionProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { application } = task;
  if (application !== null)
    return (
      <ApplicationTask task={task} application={application} drawn={drawn} onSave={onSave} test={test} />
    );
  return (
    <TaskFormCards
      key={drawn}
      initial={toTaskForm(task, findTimezone())}
      submitLabel={t('common.save')}
      onSubmit={(values: TaskForm, isLatest) => onSave(toTaskRequest(values), isLatest)}
      onCancel={() => void navigate(paths.tasks)}
      test={test}
    />
  );
}

interface TaskActionsProps {
  task: Task;
  onOwnerChanged: (task: Task) => void;
  onTest: () => void;
}

function TaskActions({ task, onOwnerChanged, onTest }: TaskActionsProps) {
  const { t } = useTranslation();
  const [running, setRunning] = useState(false);
  return (
    <>
      {task.application === null && <DeleteButton task={task} />}
      <OwnerButton task={task} onSaved={onOwnerChanged} />
      <Button icon={<ExperimentOutlined aria-hidden />} onClick={onTest}>
        {t('taskTest.test')}
      </Button>
      <Button type="primary" icon={<CaretRightOutlined aria-hidden />} onClick={() => setRunning(true)}>
        {t('tasks.run')}
      </Button>
      {running && <RunDialog task={task} onClose={() => setRunning(false)} />}
    </>
  );
}

/** Only schedules have due times. */
function listTimesTabs({ id, type }: Task, label: string) {
  const times = { key: 'times', label, destroyOnHidden: true, children: <ScheduledTimes taskId={id} /> };
  return type === 'SCHEDULE' ? [times] : [];
}

function DeleteButton({ task }: { task: Task }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const confirm = useConfirmDelete();
  const remove = () =>
    confirm({
      title: t('tasks.deleteTitle', { name: task.name }),
      text: t('tasks.deleteText'),
      run: async () => {
        await client.tasks.delete(task.id);
        void queryClient.invalidateQueries({ queryKey: keys.tasks, refetchType: 'none' });
        forgetInput();
        await navigate(paths.tasks);
      },
    });
  return <Button icon={<DeleteOutlined aria-hidden />} aria-label={t('common.delete')} onClick={remove} />;
}

/** The runs of a task, which can be cancelled together. */
function TaskRuns({ task }: { task: Task }) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const confirm = useConfirmDelete();
  const cancel = () =>
    confirm({
      title: t('tasks.cancelRunsTitle', { name: task.name }),
      text: t('tasks.cancelRunsText'),
      verb: t('tasks.cancelRuns'),
      keep: t('tasks.keepRuns'),
      run: async () => {
        const { cancelled, requested } = await client.tasks.cancelRuns(task.id);
        void queryClient.invalidateQueries({ queryKey: keys.runs });
        void message.success(t('tasks.runsCancelled', { count: cancelled + requested }));
      },
    });
  return (
    <>
      <div className="toolbar">
        <Button onClick={cancel}>{t('tasks.cancelRuns')}</Button>
      </div>
      <RunsList
        queryKey={[...keys.runs, 'of', task.id]}
        fetchPage={(query) => client.tasks.runs(task.id, query)}
        taskId={task.id}
        empty={<EmptyState title={t('runs.none')} text={t(`tasks.noRuns.${task.type}`)} />}
      />
    </>
  );
}

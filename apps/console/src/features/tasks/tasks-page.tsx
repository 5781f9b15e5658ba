import { CaretRightOutlined, PlusOutlined } from '@ant-design/icons';
import { TASK_TYPES, type Task } from '@platform/contracts';
import { useMutation } from '@tanstack/react-query';
import { App, Button, Switch } from 'antd';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router';
import { client, keys, queryClient } from '../../api.ts';
import { paths } from '../../paths.ts';
import { lazyPart } from '../../ui/layout/lazy-part.tsx';
import { DataList, type Column } from '../../ui/lists/data-list.tsx';
import { getErrorMessage } from '../../ui/layout/errors.ts';
import { FilterSelect } from '../../ui/lists/filter-select.tsx';
import { ListSearch, useListQuery } from '../../ui/lists/list-search.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { EmptyState } from '../../ui/layout/states.tsx';
import { Time } from '../../ui/format/time.tsx';
import { useList } from '../../ui/lists/use-list.ts';
import { useSearchFilter } from '../../ui/url/use-search-filter.ts';
import { SampleShopOffer } from '../applications/sample-shop-offer.tsx';
import { SavedViews } from '../views/saved-views.tsx';
import { TaskResultBars } from './task-results.tsx';
import { useDisableTask } from './use-disable-task.tsx';
import { useTaskResults } from './use-task-results.ts';

const RunDialog = lazyPart(() =>
  import('./run-dialog.tsx').then((module) => ({ default: module.RunDialog })),
);

const SORTS = ['name', '-name'] as const;

export function Component() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [type, setType] = useSearchFilter('type', TASK_TYPES);
  const [running, setRunning] = useState<Task | null>(null);
  const { field, text, sort } = useListQuery(SORTS);
  const query = { type, text, sort };
  const list = useList<Task>([...keys.tasks, query], (page) => client.tasks.list({ ...page, ...query }));

  const resultsOf = useTaskResults(list.items.map(({ id }) => id));
  const columns = useTaskColumns(setRunning, resultsOf);

  const create = (
    <Button
      type="primary"
      icon={<PlusOutlined aria-hidden />}
      onClick={() => void navigate(paths.newTask(type))}
    >
      {t('tasks.create')}
    </Button>
  );

  return (
    <Page title={t('tasks.title')} description={t('tasks.description')} actions={create}>
      <div className="toolbar">
        <ListSearch label={t('tasks.search')} {...field} />
        <FilterSelect
          label={t('tasks.type')}
          any={t('tasks.anyType')}
          value={type}
          onChange={setType}
          options={TASK_TYPES.map((one) => ({ value: one, label: t(`tasks.types.${one}`) }))}
        />
        <SavedViews page="tasks" />
      </div>
      <DataList
        label={t('tasks.title')}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        rowTo={({ id }) => paths.task(id)}
        empty={
          type === undefined && text === undefined ? (
            <EmptyState title={t('tasks.none')} text={t('tasks.noneText')}>
              {create}
              <SampleShopOffer />
            </EmptyState>
          ) : (
            <EmptyState title={t('tasks.noMatch')} />
          )
        }
      />
      {running !== null && (
        <Suspense>
          <RunDialog task={running} onClose={() => setRunning(null)} />
        </Suspense>
      )}
    </Page>
  );
}

function useTaskColumns(
  run: (task: Task) => void,
  resultsOf: ReturnType<typeof useTaskResults>,
): Column<Task>[] {
  const { t } = useTranslation();
  return [
    {
      key: 'name',
      title: t('tasks.task'),
      sortBy: 'service',
      render: ({ id, name, application, workflow }) => (
        <>
          <Link to={paths.task(id)} className="primary-link">
            {name}
          </Link>
          <div className="row wrap muted">
            {t('tasks.steps', { count: workflow.steps.length })}
            {application !== null && <span className="badge plain">{application.identifier}</span>}
          </div>
        </>
      ),
    },
    {
      key: 'type',
      title: t('tasks.type'),
      width: 230,
      render: (task) => <Start task={task} />,
    },
    {
      key: 'results',
      title: t('tasks.results'),
      width: 172,
      render: (task) => (
        <div className="result-space">
          <TaskResultBars task={task} results={resultsOf(task.id)} />
        </div>
      ),
    },
    {
      key: 'enabled',
      title: t('tasks.enabled'),
      width: 130,
      render: (task) => <EnabledSwitch task={task} />,
    },
    {
      key: 'actions',
      title: '',
      width: 190,
      render: (task) => (
        <>
          <Button
            size="small"
            type="text"
            icon={<CaretRightOutlined aria-hidden />}
            aria-label={t('tasks.runNamed', { name: task.name })}
            onClick={() => run(task)}
          >
            {t('tasks.run')}
          </Button>
          <Link to={paths.task(task.id, 'runs')} aria-label={t('runs.ofTask', { name: task.name })}>
            {t('runs.title')}
          </Link>
        </>
      ),
    },
  ];
}

function Start({ task: { type, schedule, nextDueAt, enabled } }: { task: Task }) {
  const { t } = useTranslation();
  return (
    <>
      {t(`tasks.types.${type}`)}
      {schedule !== null && (
        <div className="muted">
          <code>{schedule.cron}</code> {schedule.timezone}
          {enabled && nextDueAt !== null && (
            <>
              {' · '}
              <Time iso={nextDueAt} />
            </>
          )}
        </div>
      )}
    </>
  );
}

function EnabledSwitch({ task }: { task: Task }) {
  const { id, name, enabled, disabledReason } = task;
  const { t } = useTranslation();
  const { message } = App.useApp();
  const askForRuns = useDisableTask();
  const toggle = useMutation({
    mutationFn: async (next: boolean) => {
      const runs = next ? undefined : await askForRuns(task);
      if (runs !== null) await client.tasks.update(id, { enabled: next, ...(runs && { runs }) });
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: keys.tasks }),
    onError: (error) => void message.error(getErrorMessage(error, t)),
  });
  return (
    <>
      <Switch
        size="small"
        checked={toggle.isPending ? toggle.variables : enabled}
        loading={toggle.isPending}
        onChange={(next) => toggle.mutate(next)}
        aria-label={t('tasks.enabledNamed', { name })}
      />
      {disabledReason !== null && (
        <div className="warning-text">{t(`tasks.disabledReasons.${disabledReason}`)}</div>
      )}
    </>
  );
}

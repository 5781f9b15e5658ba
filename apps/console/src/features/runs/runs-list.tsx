import type { Page, PageQuery, RunListing, RunQuery } from '@platform/contracts';
import type { QueryKey } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { paths } from '../../paths.ts';
import { ListPicture } from '../../ui/charts/chart-space.tsx';
import { lazyPart } from '../../ui/layout/lazy-part.tsx';
import { DataList, type Column } from '../../ui/lists/data-list.tsx';
import { EmptyState } from '../../ui/layout/states.tsx';
import { Time } from '../../ui/format/time.tsx';
import { useFirstItems, useList } from '../../ui/lists/use-list.ts';
import { useTimedQuery } from '../events/log/event-filters.ts';
import { RunCause, RunDuration } from './run-facts.tsx';
import { RunFilterBar } from './run-filter-bar.tsx';
import { refreshRunAfter, RunStatusBadge } from './run-status.tsx';
import { useRunFilters } from './use-run-filters.ts';

const REFRESH_MS = 2_000;

const RunsPicture = lazyPart(() =>
  import('./runs-picture.tsx').then((module) => ({ default: module.RunsPicture })),
);

interface RunsListProps {
  queryKey: QueryKey;
  fetchPage: (query: PageQuery & RunQuery) => Promise<Page<RunListing>>;
  /** Whether the runs belong to several tasks. */
  showTask?: boolean;
  empty: ReactNode;
}

/** Runs, newest first, with filters in the URL. */
export function RunsList({ queryKey, fetchPage, showTask = false, empty }: RunsListProps) {
  const { t } = useTranslation();
  const [filters, setFilters] = useRunFilters();
  const query = useTimedQuery(filters);
  const list = useFirstItems(
    useList<RunListing>([...queryKey, query], (page) => fetchPage({ ...page, ...query }), {
      refreshAfter: ({ status }) => refreshRunAfter(status, REFRESH_MS),
    }),
  );
  const columns: Column<RunListing>[] = [
    {
      key: 'run',
      title: showTask ? t('runs.task') : t('runs.run'),
      render: (run) => (
        <>
          <Link to={paths.run(run.id)} className="primary-link">
            {showTask ? run.taskName : <RunCause run={run} />}
          </Link>
          <div className="muted truncate">
            {showTask ? <RunCause run={run} /> : <span className="mono">{run.id}</span>}
          </div>
        </>
      ),
    },
    {
      key: 'status',
      title: t('runs.status'),
      width: 150,
      render: (run) => <RunStatusBadge status={run.status} />,
    },
    { key: 'attempt', title: t('runs.attempt'), width: 90, render: (run) => run.attempt },
    { key: 'duration', title: t('runs.duration'), width: 110, render: (run) => <RunDuration run={run} /> },
    { key: 'created', title: t('runs.created'), width: 140, render: (run) => <Time iso={run.createdAt} /> },
  ];

  return (
    <>
      <RunFilterBar filters={filters} onChange={setFilters} ofAllTasks={showTask} />
      <ListPicture list={list}>
        <RunsPicture runs={list.items} hasMore={list.hasMore} showTask={showTask} />
      </ListPicture>
      <DataList
        label={t('runs.title')}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        rowTo={({ id }) => paths.run(id)}
        empty={Object.keys(filters).length === 0 ? empty : <EmptyState title={t('runs.noMatch')} />}
      />
    </>
  );
}

import { RUN_STATUSES, type Page, type PageQuery, type Run, type RunStatus } from '@platform/contracts';
import type { QueryKey } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { paths } from '../../paths.ts';
import { DataList, type Column } from '../../ui/lists/data-list.tsx';
import { FilterSelect } from '../../ui/lists/filter-select.tsx';
import { EmptyState } from '../../ui/layout/states.tsx';
import { Time } from '../../ui/format/time.tsx';
import { useList } from '../../ui/lists/use-list.ts';
import { useSearchFilter } from '../../ui/url/use-search-filter.ts';
import { RunCause, RunDuration } from './run-facts.tsx';
import { hasRunEnded, RunStatusBadge } from './run-status.tsx';

const REFRESH_MS = 2_000;

interface RunsListProps {
  queryKey: QueryKey;
  fetchPage: (query: PageQuery & { status?: RunStatus }) => Promise<Page<Run>>;
  /** Whether the runs belong to several tasks. */
  showTask?: boolean;
  empty: ReactNode;
}

/** Runs, newest first, with a filter by status. */
export function RunsList({ queryKey, fetchPage, showTask = false, empty }: RunsListProps) {
  const { t } = useTranslation();
  const [status, setStatus] = useSearchFilter('status', RUN_STATUSES);
  const list = useList<Run>(
    [...queryKey, { status }],
    (page) => fetchPage({ ...page, ...(status !== undefined && { status }) }),
    { refetchWhile: { everyMs: REFRESH_MS, test: (run) => !hasRunEnded(run.status) } },
  );
  const columns: Column<Run>[] = [
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
      <div className="toolbar">
        <FilterSelect
          label={t('runs.status')}
          any={t('runs.anyStatus')}
          value={status}
          onChange={setStatus}
          options={RUN_STATUSES.map((one) => ({ value: one, label: t(`runs.statuses.${one}`) }))}
        />
      </div>
      <DataList
        label={t('runs.title')}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        rowTo={({ id }) => paths.run(id)}
        empty={status === undefined ? empty : <EmptyState title={t('runs.noMatch')} />}
      />
    </>
  );
}

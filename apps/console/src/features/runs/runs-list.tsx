import type { Page, PageQuery, RunListing, RunQuery } from '@platform/contracts';
import type { QueryKey } from '@tanstack/react-query';
import { Checkbox } from 'antd';
import { useState, type ReactNode } from 'react';
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
import { BulkBar } from './bulk-bar.tsx';
import { RunCause, RunDuration } from './run-facts.tsx';
import { RunFilterBar } from './run-filter-bar.tsx';
import { refreshRunAfter, RunStatusBadge } from './run-status.tsx';
import './runs-list.css';
import { useRunFilters } from './use-run-filters.ts';

const REFRESH_MS = 2_000;

const RunsPicture = lazyPart(() =>
  import('./runs-picture.tsx').then((module) => ({ default: module.RunsPicture })),
);

interface RunsListProps {
  queryKey: QueryKey;
  fetchPage: (query: PageQuery & RunQuery) => Promise<Page<RunListing>>;
  /** The task whose runs they are; absent if they belong to several. */
  taskId?: string;
  empty: ReactNode;
}

/** Runs, newest first, with filters in the URL. */
export function RunsList({ queryKey, fetchPage, taskId, empty }: RunsListProps) {
  const { t } = useTranslation();
  const [filters, setFilters] = useRunFilters();
  const query = useTimedQuery(filters);
  const list = useFirstItems(
    useList<RunListing>([...queryKey, query], (page) => fetchPage({ ...page, ...query }), {
      // A search by text reads what runs have stored: it is repeated only if something has changed.
      refreshAfter: ({ status }) => query.text === undefined && refreshRunAfter(status, REFRESH_MS),
    }),
  );
  const showTask = taskId === undefined;
  const hasFilters = Object.keys(filters).length > 0;
  const selection = useSelection(JSON.stringify(query), list.items);
  const columns = useRunColumns(showTask, selection);
  const codes = new Set(list.items.flatMap(({ error }) => error?.code ?? []));

  return (
    <>
      <RunFilterBar filters={filters} onChange={setFilters} ofAllTasks={showTask} codes={[...codes].sort()}>
        <BulkBar
          ids={selection.ids}
          onClear={selection.clear}
          matching={hasFilters ? { ...query, ...(taskId !== undefined && { taskId }) } : null}
        />
      </RunFilterBar>
      <ListPicture list={list}>
        <RunsPicture runs={list.items} hasMore={list.hasMore} showTask={showTask} />
      </ListPicture>
      <DataList
        label={t('runs.title')}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        rowTo={({ id }) => paths.run(id)}
        empty={hasFilters ? <EmptyState title={t('runs.noMatch')} /> : empty}
      />
    </>
  );
}

interface Selection {
  /** In the order of the list. */
  ids: string[];
  toggle: (id: string) => void;
  clear: () => void;
}

/** The runs of a list that are selected. What is no longer shown, or was selected with another filter, is not. */
function useSelection(filter: string, items: readonly RunListing[]): Selection {
  const [chosen, setChosen] = useState({ filter, ids: new Set<string>() });
  const current = chosen.filter === filter ? chosen.ids : new Set<string>();
  return {
    ids: items.flatMap(({ id }) => (current.has(id) ? [id] : [])),
    toggle: (id) => {
      const ids = new Set(current);
      if (!ids.delete(id)) ids.add(id);
      setChosen({ filter, ids });
    },
    clear: () => setChosen({ filter, ids: new Set() }),
  };
}

function useRunColumns(showTask: boolean, { ids, toggle }: Selection): Column<RunListing>[] {
  const { t } = useTranslation();
  const selected = new Set(ids);
  return [
    {
      key: 'run',
      title: showTask ? t('runs.task') : t('runs.run'),
      render: (run) => (
        <div className="selectable">
          <Checkbox
            checked={selected.has(run.id)}
            onChange={() => toggle(run.id)}
            aria-label={t('failures.select', { name: run.id })}
          />
          <div>
            <Link to={paths.run(run.id)} className="primary-link">
              {showTask ? run.taskName : <RunCause run={run} />}
            </Link>
            <div className="muted truncate">
              {showTask ? <RunCause run={run} /> : <span className="mono">{run.id}</span>}
            </div>
          </div>
        </div>
      ),
    },
    {
      key: 'status',
      title: t('runs.status'),
      width: 170,
      render: ({ status, error }) => (
        <>
          <RunStatusBadge status={status} />
          {error && error.code !== status && <div className="muted mono truncate">{error.code}</div>}
        </>
      ),
    },
    { key: 'attempt', title: t('runs.starts'), width: 90, render: (run) => run.attempt },
    { key: 'duration', title: t('runs.duration'), width: 110, render: (run) => <RunDuration run={run} /> },
    { key: 'created', title: t('runs.created'), width: 140, render: (run) => <Time iso={run.createdAt} /> },
  ];
}

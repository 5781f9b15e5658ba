import type { BulkRunActionKind, Failure, Failures, RunSelect } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { Button, Checkbox } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { client, keys } from '../../api.ts';
import { paths } from '../../paths.ts';
import { Time } from '../../ui/format/time.tsx';
import { useNumbers } from '../../ui/format/use-numbers.ts';
import { Page } from '../../ui/layout/page.tsx';
import { EmptyState, ErrorState, Loaded, PageSpinner } from '../../ui/layout/states.tsx';
import { LoadMore } from '../../ui/lists/load-more.tsx';
import { useList } from '../../ui/lists/use-list.ts';
import { TimeFields } from '../events/log/event-fields.tsx';
import { useTimedQuery } from '../events/log/event-filters.ts';
import { useRunFilters } from '../runs/use-run-filters.ts';
import { BulkRunDialog } from './bulk-run-dialog.tsx';

const SHOWN_RUNS = 20;

/** Either groups or runs are selected, never both: a group has runs that are not shown. */
interface Selection {
  /** The range of the groups. With another one, what was selected may not be shown. */
  range?: string;
  kind: 'groups' | 'runs';
  ids: string[];
}

const NOTHING: Selection = { kind: 'groups', ids: [] };

/** The failed runs that nobody has dismissed, grouped by their error. */
export function Component() {
  const { t } = useTranslation();
  const [filters, setFilters] = useRunFilters();
  const { taskId, from, to } = useTimedQuery(filters);
  const range = { ...(taskId && { taskId }), ...(from && { from }), ...(to && { to }) };
  const rangeKey = JSON.stringify(range);
  const [chosen, setSelection] = useState(NOTHING);
  const selection = chosen.range === rangeKey ? chosen : NOTHING;
  const [action, setAction] = useState<BulkRunActionKind | null>(null);
  const failures = useQuery({
    queryKey: [...keys.failures, range],
    queryFn: () => client.runs.failures(range),
  });
  const toggle = (kind: Selection['kind'], id: string) =>
    setSelection((last) => {
      const ids = last.kind === kind && last.range === rangeKey ? last.ids : [];
      return {
        range: rangeKey,
        kind,
        ids: ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id],
      };
    });
  const { kind, ids } = selection;
  const select: RunSelect = kind === 'runs' ? { ids } : { ...range, failures: ids, dismissed: false };

  return (
    <Page
      title={t('failures.title')}
      description={t('failures.description')}
      parent={{ to: paths.runs(), label: t('runs.title') }}
    >
      <div className="toolbar">
        <TimeFields filters={filters} onChange={setFilters} />
        {ids.length > 0 && (
          <>
            <span role="status">
              {t(kind === 'runs' ? 'failures.selectedRuns' : 'failures.selectedGroups', {
                count: ids.length,
              })}
            </span>
            <Button type="primary" onClick={() => setAction('retry')}>
              {t('bulkRuns.actions.retry')}
            </Button>
            <Button onClick={() => setAction('dismiss')}>{t('bulkRuns.actions.dismiss')}</Button>
            <Button type="text" onClick={() => setSelection(NOTHING)}>
              {t('failures.clear')}
            </Button>
          </>
        )}
      </div>
      <Loaded query={failures}>
        {(loaded) => <Groups failures={loaded} range={range} selection={selection} onToggle={toggle} />}
      </Loaded>
      {action && (
        <BulkRunDialog
          action={action}
          select={select}
          onClose={() => {
            setAction(null);
            setSelection(NOTHING);
          }}
        />
      )}
    </Page>
  );
}

interface SelectableProps {
  range: { from?: string; to?: string };
  selection: Selection;
  onToggle: (kind: Selection['kind'], id: string) => void;
}

function Groups({ failures, ...props }: SelectableProps & { failures: Failures }) {
  const { t } = useTranslation();
  const { whole } = useNumbers();
  const { items, isLimited, searched } = failures;
  if (items.length === 0 && searched.to === null)
    return <EmptyState title={t('failures.none')} text={t('failures.noneText')} />;
  return (
    <div className="stack">
      {searched.to !== null && (
        <p className="muted">{t('failures.searched', { formatted: whole(searched.runs) })}</p>
      )}
      {isLimited && <p className="muted">{t('failures.moreGroups')}</p>}
      {items.map((group) => (
        <Group key={group.id} group={group} {...props} />
      ))}
    </div>
  );
}

function Group({ group, range, selection, onToggle }: SelectableProps & { group: Failure }) {
  const { t } = useTranslation();
  const { whole } = useNumbers();
  const [isOpen, setOpen] = useState(false);
  const { id, taskId, taskName, stepId, code, message, count, firstAt, lastAt } = group;
  const name = `${taskName} · ${code}`;
  return (
    <section className="card" aria-label={name}>
      <header className="card-head row">
        <Checkbox
          checked={selection.kind === 'groups' && selection.ids.includes(id)}
          onChange={() => onToggle('groups', id)}
          aria-label={t('failures.select', { name })}
        />
        <h2 className="grow truncate">
          <Link to={paths.task(taskId)}>{taskName}</Link>
        </h2>
        <span className="badge danger">{t('failures.runs', { count, formatted: whole(count) })}</span>
        <Button size="small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {t(isOpen ? 'failures.hide' : 'failures.show')}
        </Button>
      </header>
      <div className="card-body stack">
        <div className="break-words">{message}</div>
        <div className="muted">
          <span className="mono">{code}</span> ·{' '}
          {stepId === null ? t('failures.outside') : <span className="mono">{stepId}</span>} ·{' '}
          {t('failures.lastAt')} <Time iso={lastAt} /> · {t('failures.firstAt')} <Time iso={firstAt} />
        </div>
        {isOpen && <GroupRuns failure={id} range={range} selection={selection} onToggle={onToggle} />}
      </div>
    </section>
  );
}

function GroupRuns({ failure, range, selection, onToggle }: SelectableProps & { failure: string }) {
  const { t } = useTranslation();
  const query = { failure, dismissed: 'false', limit: SHOWN_RUNS, ...range } as const;
  const list = useList([...keys.failures, 'runs', query], (page) => client.runs.list({ ...page, ...query }));
  if (list.loading) return <PageSpinner />;
  if (list.error !== null) return <ErrorState error={list.error} retry={list.retry} />;
  return (
    <>
      <ul className="latest">
        {list.items.map(({ id, error, createdAt }) => (
          <li key={id}>
            <Checkbox
              checked={selection.kind === 'runs' && selection.ids.includes(id)}
              onChange={() => onToggle('runs', id)}
              aria-label={t('failures.select', { name: id })}
            />
            <span className="grow attention-text">
              <Link to={paths.run(id)} className="mono truncate">
                {id}
              </Link>
              <span className="muted truncate">{error?.message}</span>
            </span>
            <span className="muted latest-time">
              <Time iso={createdAt} />
            </span>
          </li>
        ))}
      </ul>
      {list.hasMore && (
        <div>
          <LoadMore list={list} size="small" />
        </div>
      )}
    </>
  );
}

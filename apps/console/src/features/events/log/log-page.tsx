import { PauseOutlined, PlayCircleOutlined, RedoOutlined } from '@ant-design/icons';
import type { Envelope } from '@platform/contracts';
import { Button } from 'antd';
import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, Outlet, useLocation, useParams } from 'react-router';
import { paths } from '../../../paths.ts';
import { lazyPart } from '../../../ui/layout/lazy-part.tsx';
import { LongDataList, type Column } from '../../../ui/lists/data-list.tsx';
import { ChartSpace } from '../../../ui/charts/chart-space.tsx';
import { Page } from '../../../ui/layout/page.tsx';
import { EmptyState } from '../../../ui/layout/states.tsx';
import { Time } from '../../../ui/format/time.tsx';
import { useSearchFilter } from '../../../ui/url/use-search-filter.ts';
import { SampleShopButton } from '../../applications/sample-shop-button.tsx';
import { useIsAdmin } from '../../auth/session.ts';
import { SavedViews } from '../../views/saved-views.tsx';
import { DeliveriesText } from './deliveries-text.tsx';
import { EnvelopeStatusBadge } from './envelope-status.tsx';
import '../events.css';
import { LogFilterBar } from './log-filters.tsx';
import { useEnvelopes } from './use-envelopes.ts';
import { useTimedQuery } from './event-filters.ts';
import { useLogFilters } from './use-log-filters.ts';

const ROW_HEIGHT = { wide: 45, narrow: 128 };
const OFF = ['off'] as const;

const BulkReplayDialog = lazyPart(() =>
  import('../replay/bulk-replay-dialog.tsx').then((module) => ({ default: module.BulkReplayDialog })),
);

const LogPicture = lazyPart(() =>
  import('./log-picture.tsx').then((module) => ({ default: module.LogPicture })),
);

export function Component() {
  const { t } = useTranslation();
  const isAdmin = useIsAdmin();
  const { envelopeId } = useParams();
  const { search } = useLocation();
  const [filters, setFilters] = useLogFilters();
  const [live, setLive] = useSearchFilter('live', OFF);
  const isLive = live === undefined;
  const [replay, setReplay] = useSearchFilter('replay');
  const query = useTimedQuery(filters);
  const list = useEnvelopes(query, !isLive);
  const isFiltered = Object.keys(filters).length > 0;
  const isTimed = query.from !== undefined || query.to !== undefined;
  const columns = useEnvelopeColumns();

  return (
    <Page
      title={t('eventLog.title')}
      description={t('eventLog.description')}
      wide
      actions={
        isAdmin && (
          <LogActions
            isLive={isLive}
            onLive={(next) => setLive(next ? undefined : 'off')}
            onReplay={() => setReplay('new')}
          />
        )
      }
    >
      <div className="toolbar">
        <LogFilterBar filters={filters} onChange={setFilters} />
        <span className={isLive ? 'badge running' : 'badge'} role="status">
          {t(isLive ? 'eventLog.following' : 'eventLog.paused')}
        </span>
        {isAdmin && <SavedViews page="event-log" />}
      </div>
      {isAdmin && list.error === null && (list.loading || list.items.length > 0 || isTimed) && (
        <Suspense fallback={<ChartSpace />}>
          <LogPicture
            query={query}
            isTimed={isTimed}
            onTime={(time) => setFilters({ since: undefined, ...time })}
          />
        </Suspense>
      )}
      <LongDataList
        label={t('eventLog.title')}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        rowHeight={ROW_HEIGHT}
        rowTo={({ id }) => ({ pathname: paths.envelope(id), search })}
        rowClass={({ id }) => (id === envelopeId ? 'selected' : undefined)}
        empty={
          isFiltered ? (
            <EmptyState title={t('eventLog.noMatch')} text={t('eventLog.noMatchText')} />
          ) : (
            <EmptyState title={t('eventLog.none')} text={t('eventLog.noneText')}>
              <Link to={paths.catalog}>{t('eventLog.openCatalog')}</Link>
              <SampleShopButton />
            </EmptyState>
          )
        }
      />
      <Outlet />
      {replay !== undefined && isAdmin && (
        <Suspense>
          <BulkReplayDialog
            replayId={replay === 'new' ? null : replay}
            filters={query}
            onStarted={setReplay}
            onClose={() => setReplay(undefined)}
          />
        </Suspense>
      )}
    </Page>
  );
}

function useEnvelopeColumns(): Column<Envelope>[] {
  const { t } = useTranslation();
  const { search } = useLocation();
  return [
    {
      key: 'event',
      title: t('eventLog.event'),
      render: ({ id, event, applicationIdentifier }) => (
        <Link to={{ pathname: paths.envelope(id), search }} className="primary-link mono" title={event}>
          {event}
          <span className="muted"> · {applicationIdentifier}</span>
        </Link>
      ),
    },
    {
      key: 'status',
      title: t('eventLog.status'),
      width: 140,
      render: ({ status }) => <EnvelopeStatusBadge status={status} />,
    },
    {
      key: 'outcome',
      title: t('eventLog.outcome'),
      width: 230,
      render: ({ status, statusReason, matchedCount, generation, deliveries }) => (
        <>
          {statusReason === null
            ? status === 'DISPATCHED' && (
                <DeliveriesText deliveries={deliveries} matchedCount={matchedCount} />
              )
            : t(`eventLog.shortReasons.${statusReason}`)}
          {generation > 0 && (
            <span className="muted"> · {t('eventLog.replayed', { count: generation })}</span>
          )}
        </>
      ),
    },
    {
      key: 'payload',
      title: t('eventLog.payload'),
      width: '19%',
      render: ({ payload, erasure }) =>
        erasure === null ? (
          <code className="muted">{summarize(payload)}</code>
        ) : (
          <span className="muted">{t('erasure.short')}</span>
        ),
    },
    {
      key: 'emitted',
      title: t('eventLog.emitted'),
      width: 165,
      render: ({ emittedAt }) => <Time iso={emittedAt} />,
    },
  ];
}

/** The beginning of a payload on one line. */
function summarize(payload: Record<string, unknown>): string {
  const text = JSON.stringify(payload);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

interface LogActionsProps {
  isLive: boolean;
  onLive: (isLive: boolean) => void;
  onReplay: () => void;
}

function LogActions({ isLive, onLive, onReplay }: LogActionsProps) {
  const { t } = useTranslation();
  return (
    <>
      <Button
        icon={isLive ? <PauseOutlined aria-hidden /> : <PlayCircleOutlined aria-hidden />}
        aria-pressed={isLive}
        onClick={() => onLive(!isLive)}
      >
        {t(isLive ? 'eventLog.pause' : 'eventLog.live')}
      </Button>
      <Button icon={<RedoOutlined aria-hidden />} onClick={onReplay}>
        {t('bulkReplay.title')}
      </Button>
    </>
  );
}

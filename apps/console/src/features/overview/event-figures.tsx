import type { EventFigures, EventSummary, EventWindow } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { client, keys } from '../../api.ts';
import { paths } from '../../paths.ts';
import { ErrorState } from '../../ui/layout/states.tsx';
import { Time } from '../../ui/format/time.tsx';
import { useNumbers } from '../../ui/format/use-numbers.ts';
import { EventVolume } from './event-volume.tsx';
import { Figure } from './figure.tsx';

const REFRESH_MS = 10_000;

interface EventFiguresCardsProps {
  window: EventWindow;
  /** Further figures in the same row, before those of events. */
  figures: ReactNode;
  /** A chart next to that of the events. */
  chart: ReactNode;
  /** What comes before the most frequent events. */
  children: ReactNode;
}

/** The events of a time window: volume, success rate, and the most frequent ones. */
export function EventFiguresCards({ window, figures, chart, children }: EventFiguresCardsProps) {
  const { t, i18n } = useTranslation();
  const { whole } = useNumbers();
  const summary = useQuery({
    queryKey: [...keys.eventSummary, window],
    queryFn: () => client.events.summary({ window }),
    refetchInterval: REFRESH_MS,
    placeholderData: (before) => before,
  });
  const { data } = summary;
  const missing = summary.isError ? '–' : undefined;
  const percent = new Intl.NumberFormat(i18n.language, { style: 'percent', maximumFractionDigits: 2 });
  // 99.996 % is not "100 %".
  const formatRate = (rate: number | null) =>
    rate === null ? '–' : percent.format(Math.floor(rate * 10_000) / 10_000);

  return (
    <>
      <div className="figures">
        {figures}
        <Figure
          label={t('overview.events')}
          value={data === undefined ? missing : whole(data.total)}
          detail={
            data &&
            t('overview.pendingAndRate', {
              pending: whole(data.pending),
              rate: formatRate(data.dispatchRate),
            })
          }
          to={paths.eventLog({ since: window })}
        />
        <Figure
          label={t('overview.successRate')}
          value={data === undefined ? missing : formatRate(data.successRate)}
          detail={data && <DeliveriesText deliveries={data.deliveries} />}
          to={paths.eventLog({ outcome: 'FAILED', since: window })}
        />
      </div>
      <div className="charts">
        <section className="card" aria-label={t('overview.volume')}>
          <header className="card-head">
            <h2>{t('overview.volume')}</h2>
          </header>
          <div className="card-body stack">
            {data !== undefined ? (
              <>
                <RefusedText limit={data.emissionLimit} />
                <EventVolume summary={data} />
              </>
            ) : summary.isError ? (
              <ErrorState error={summary.error} retry={() => void summary.refetch()} />
            ) : (
              <span className="skeleton-bar" />
            )}
          </div>
        </section>
        {chart}
      </div>
      {children}
      {data !== undefined && data.topEvents.length > 0 && (
        <section className="card" aria-label={t('overview.topEvents')}>
          <header className="card-head">
            <h2>{t('overview.topEvents')}</h2>
          </header>
          <div className="card-body">
            <TopEvents summary={data} />
          </div>
        </section>
      )}
    </>
  );
}

interface RefusedTextProps {
  limit: EventSummary['emissionLimit'];
}

/** What the limit of the space kept out: no list shows it. */
function RefusedText({ limit: { refused, perMinute, lastRefusedAt } }: RefusedTextProps) {
  const { t } = useTranslation();
  const { whole } = useNumbers();
  if (lastRefusedAt === null) return null;
  return (
    <p className="warning-text">
      {t('overview.refused', { count: refused, formatted: whole(refused), limit: whole(perMinute) })}{' '}
      {t('overview.lastRefused')} <Time iso={lastRefusedAt} />
    </p>
  );
}

/** What counts against the success rate, and what is not known yet. */
function DeliveriesText({ deliveries: { failed, missed, waiting } }: Pick<EventFigures, 'deliveries'>) {
  const { t } = useTranslation();
  const { whole } = useNumbers();
  return [
    t('overview.failed', { count: failed, formatted: whole(failed) }),
    ...(missed > 0 ? [t('overview.missed', { count: missed, formatted: whole(missed) })] : []),
    ...(waiting > 0 ? [t('overview.waiting', { count: waiting, formatted: whole(waiting) })] : []),
  ].join(', ');
}

function TopEvents({ summary: { topEvents, window } }: { summary: EventSummary }) {
  const { whole } = useNumbers();
  const most = Math.max(1, ...topEvents.map(({ total }) => total));
  return (
    <ol className="top-events">
      {topEvents.map(({ applicationIdentifier, event, total, failed, deliveries }) => (
        <li key={`${applicationIdentifier}/${event}`}>
          <Link to={paths.eventLog({ applicationIdentifier, event, since: window })}>
            <span className="row">
              <span className="mono truncate grow" title={`${applicationIdentifier} · ${event}`}>
                {event}
              </span>
              <Failures count={failed + deliveries.failed + deliveries.missed} />
              <span className="muted">{whole(total)}</span>
            </span>
            <span className="top-bar" aria-hidden>
              <span style={{ width: `${(total / most) * 100}%` }} />
            </span>
          </Link>
        </li>
      ))}
    </ol>
  );
}

function Failures({ count }: { count: number }) {
  const { t } = useTranslation();
  const { whole } = useNumbers();
  return (
    count > 0 && (
      <span className="danger-text">{t('overview.failed', { count, formatted: whole(count) })}</span>
    )
  );
}

import { USAGE_WINDOWS, type EventWindow, type Page } from '@platform/contracts';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { client, keys } from '../../api.ts';
import { paths } from '../../paths.ts';
import { useNumbers } from '../../ui/format/use-numbers.ts';
import { useIsAdmin } from '../auth/session.ts';
import { Figure } from './figure.tsx';
import { liveJobsQuery, liveRunsQuery, liveTurnsQuery } from './live-queries.ts';

/** Turns, runs, and jobs that are running now. */
export function WorkFigures() {
  const { t } = useTranslation();
  const isAdmin = useIsAdmin();
  const turns = useQuery(liveTurnsQuery(isAdmin));
  const runs = useQuery(liveRunsQuery);
  const jobs = useQuery(liveJobsQuery);
  return (
    <>
      <Figure
        label={t('overview.liveTurns')}
        value={count(turns)}
        isLive={isLive(turns)}
        detail={t('overview.now')}
        to={paths.traces({ status: 'RUNNING', ...(isAdmin && { scope: 'space' }) })}
      />
      <Figure
        label={t('overview.liveRuns')}
        value={count(runs)}
        isLive={isLive(runs)}
        detail={t('overview.now')}
        to={paths.runs('RUNNING')}
      />
      <Figure
        label={t('overview.liveJobs')}
        value={count(jobs)}
        isLive={isLive(jobs)}
        detail={t('overview.now')}
        to={paths.jobsWith('RUNNING')}
      />
    </>
  );
}

const isLive = ({ data }: UseQueryResult<Page<unknown>>): boolean => (data?.items.length ?? 0) > 0;

function count({ data, isError }: UseQueryResult<Page<unknown>>): string | undefined {
  if (data === undefined) return isError ? '–' : undefined;
  return `${data.items.length}${data.nextCursor === null ? '' : '+'}`;
}

export function TokenFigure({ window }: { window: EventWindow }) {
  const { t, i18n } = useTranslation();
  const { charged } = useNumbers();
  // Usage is kept for days.
  const usageWindow = USAGE_WINDOWS.find((one) => one === window) ?? '24h';
  const usage = useQuery({
    queryKey: [...keys.usage, 'summary', { window: usageWindow }],
    queryFn: () => client.usage.summary({ window: usageWindow }),
    placeholderData: (before) => before,
  });
  const compact = new Intl.NumberFormat(i18n.language, { notation: 'compact', maximumFractionDigits: 1 });
  const total = usage.data?.total;
  return (
    <Figure
      label={t('overview.tokens', { window: t(`usage.windows.${usageWindow}`) })}
      value={total === undefined ? (usage.isError ? '–' : undefined) : compact.format(total.tokens)}
      detail={
        total &&
        t('overview.tokensDetail', {
          count: total.calls,
          cost: charged(total.cost),
        })
      }
      to={`${paths.usage}?window=${usageWindow}`}
    />
  );
}

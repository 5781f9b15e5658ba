import type { EnvelopeQuery, EnvelopeStatus, EnvelopeVolume } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { client, keys } from '../../../api.ts';
import { ChartSpace } from '../../../ui/charts/chart-space.tsx';
import { Chart, type Tone } from '../../../ui/charts/chart.tsx';
import { Histogram, topOf } from '../../../ui/charts/histogram.tsx';
import { formatTimes } from '../../../ui/charts/times.ts';
import { useNumbers } from '../../../ui/format/use-numbers.ts';
import { getErrorMessage } from '../../../ui/layout/errors.ts';

const REFRESH_MS = 10_000;
/** From the bottom of a bar to its top. */
const PARTS = [
  { status: 'DISPATCHED', name: 'dispatched', tone: 'done' },
  { status: 'PENDING', name: 'pending', tone: 'quiet' },
  { status: 'SKIPPED', name: 'skipped', tone: 'warned' },
  { status: 'FAILED', name: 'failed', tone: 'bad' },
] as const satisfies { status: EnvelopeStatus; name: keyof EnvelopeVolume['buckets'][number]; tone: Tone }[];
/** Filters that no count follows. */
const UNCOUNTED = ['outcome', 'text', 'idempotencyKey'] as const;

interface LogPictureProps {
  query: EnvelopeQuery;
  /** Undefined: any time. */
  onTime: (time: { from: string | undefined; to: string | undefined }) => void;
  /** Whether a time is chosen. */
  isTimed: boolean;
}

/** The events of the log over time, by status. Dragging chooses a time. */
export function LogPicture(props: LogPictureProps) {
  const { t } = useTranslation();
  const { applicationIdentifier, event, from, to } = props.query;
  const wanted = {
    ...(applicationIdentifier !== undefined && { applicationIdentifier }),
    ...(event !== undefined && { event }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  };
  const volume = useQuery({
    queryKey: [...keys.eventSummary, 'volume', wanted],
    queryFn: () => client.events.volume(wanted),
    refetchInterval: REFRESH_MS,
    placeholderData: (before) => before,
  });
  if (volume.data === undefined)
    return volume.isError ? (
      <p className="chart-space muted">{getErrorMessage(volume.error, t)}</p>
    ) : (
      <ChartSpace />
    );
  if (volume.data.buckets.length === 0) return <p className="chart-space muted">{t('overview.noEvents')}</p>;
  return <VolumeChart {...props} volume={volume.data} isBusy={volume.isPlaceholderData} />;
}

/** Reads buckets, of which there is at least one. `parts`: what is shown of each. */
function useVolume({ buckets, bucketSeconds }: EnvelopeVolume, parts: readonly (typeof PARTS)[number][]) {
  const { t, i18n } = useTranslation();
  const { whole } = useNumbers();
  const startOf = (i: number) => Date.parse(buckets[i]?.start ?? '');
  const endOf = (i: number) => startOf(i) + bucketSeconds * 1_000;
  const [month, day, hour, minute] = ['short', 'numeric', 'numeric', '2-digit'] as const;
  const format = new Intl.DateTimeFormat(i18n.language, { month, day, hour, minute });
  const rangeOf = (first: number, last: number) =>
    format.formatRange(new Date(startOf(first)), new Date(endOf(last)));
  const countOf = ({ name }: (typeof PARTS)[number], first: number, last: number) =>
    buckets.slice(first, last + 1).reduce((sum, bucket) => sum + bucket[name], 0);
  const describe = (first: number, last: number): string => {
    const counts = parts.map((part) => ({ part, count: countOf(part, first, last) }));
    const shown = counts.filter(({ count }, i) => count > 0 || i === 0);
    const texts = shown.map(({ part, count }) => `${t(`eventLog.statuses.${part.status}`)} ${whole(count)}`);
    return [rangeOf(first, last), ...texts].join(' · ');
  };
  const last = buckets.length - 1;
  const total = parts.reduce((sum, part) => sum + countOf(part, 0, last), 0);
  const bars = buckets.map((bucket) => ({
    parts: parts.map(({ name, tone }) => ({ tone, count: bucket[name] })),
  }));
  return { startOf, endOf, rangeOf, describe, total, bars, last };
}

interface VolumeChartProps extends LogPictureProps {
  volume: EnvelopeVolume;
  isBusy: boolean;
}

function VolumeChart({ query, onTime, isTimed, volume, isBusy }: VolumeChartProps) {
  const { t, i18n } = useTranslation();
  const { whole } = useNumbers();
  const parts = PARTS.filter(({ status }) => query.status === undefined || query.status === status);
  const { startOf, endOf, rangeOf, describe, total, bars, last } = useVolume(volume, parts);
  const [start, end] = [startOf(0), endOf(last)];
  const formatTime = formatTimes(start, end, i18n.language);
  const uncounted = UNCOUNTED.filter((name) => query[name] !== undefined).map((name) =>
    name === 'outcome' ? t('eventLog.outcome') : t(`eventLog.searched.${name}`),
  );
  const time = isTimed ? rangeOf(0, last) : t('common.periods.24h');
  const isoOf = (ms: number) => new Date(ms).toISOString();

  return (
    <Chart
      caption={
        <>
          {t('eventLog.volume', { count: total, formatted: whole(total), time })}{' '}
          {uncounted.length > 0 && (
            <span className="warning-text">{t('eventLog.uncounted', { filters: uncounted.join(', ') })}</span>
          )}
        </>
      }
      legend={parts.map(({ tone, status }) => ({ tone, label: t(`eventLog.statuses.${status}`) }))}
      actions={
        isTimed && (
          <Button size="small" type="link" onClick={() => onTime({ from: undefined, to: undefined })}>
            {t('eventLog.anyTime')}
          </Button>
        )
      }
      isBusy={isBusy}
      levels={[whole(topOf(bars)), '0']}
      times={[start, startOf(Math.floor(bars.length / 2)), end].map(formatTime)}
      help={t('eventLog.brushHelp')}
    >
      {(helpId) => (
        <>
          {total === 0 && <p className="chart-empty muted">{t('overview.noEvents')}</p>}
          <Histogram
            bars={bars}
            summary={describe(0, last)}
            brushLabel={t('eventLog.brush')}
            helpId={helpId}
            describe={describe}
            onBrush={(first, until) => onTime({ from: isoOf(startOf(first)), to: isoOf(endOf(until)) })}
          />
        </>
      )}
    </Chart>
  );
}

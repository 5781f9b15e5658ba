import type { RunListing, RunStatus } from '@platform/contracts';
import { memo, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { paths } from '../../paths.ts';
import { DURATION_STEPS } from '../../ui/charts/axis.ts';
import type { Tone } from '../../ui/charts/chart.tsx';
import { DotChart } from '../../ui/charts/dot-chart.tsx';
import type { Dot } from '../../ui/charts/dot-plot.tsx';
import { createDetails, MAX_DOTS } from '../../ui/charts/dots.ts';
import { formatDuration } from '../../ui/format/duration.ts';
import { hasRunEnded } from './run-status.tsx';
import { RUN_TONES } from './run-tones.ts';

const LEGEND: RunStatus[] = ['SUCCEEDED', 'FAILED', 'INTERRUPTED', 'CANCELLED'];

interface RunsPictureProps {
  /** The newest first. */
  runs: readonly RunListing[];
  hasMore: boolean;
  /** Whether the runs belong to several tasks. */
  showTask: boolean;
}

/** The runs of a list over time, by how long they took. */
export const RunsPicture = memo(function RunsPicture({ runs, hasMore, showTask }: RunsPictureProps) {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  const shown = useMemo(() => runs.slice(0, MAX_DOTS), [runs]);
  const dots = useMemo(() => {
    const detailsOf = createDetails(language);
    return shown.map(({ id, taskName, status, durationMs, createdAt, origin, trigger }): Dot => {
      const cause =
        trigger === null ? t(`runs.origins.${origin}`) : t('runs.byEvent', { event: trigger.event });
      const took = durationMs === null ? [] : [formatDuration(durationMs, language)];
      return {
        key: id,
        at: Date.parse(createdAt),
        value: durationMs,
        tone: RUN_TONES[status],
        to: paths.run(id),
        title: showTask ? taskName : cause,
        details: detailsOf([t(`runs.statuses.${status}`), ...took], createdAt),
      };
    });
  }, [shown, showTask, t, language]);
  const isPart = hasMore || runs.length > shown.length;
  const statuses = LEGEND.filter((status) => shown.some((run) => run.status === status));
  const legend: { tone: Tone; label: string }[] = statuses.map((status) => ({
    tone: RUN_TONES[status],
    label: t(`runs.statuses.${status}`),
  }));
  if (shown.some(({ status }) => !hasRunEnded(status)))
    legend.push({ tone: 'active', label: t('runs.notEnded') });
  const caption = t(isPart ? 'runs.newestByDuration' : 'runs.byDuration', { count: dots.length });

  return (
    <DotChart
      caption={caption}
      legend={legend}
      dots={dots}
      steps={DURATION_STEPS}
      format={(ms) => formatDuration(ms, language)}
    />
  );
});

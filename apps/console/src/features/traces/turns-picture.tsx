import type { TurnListing, TurnStatus } from '@platform/contracts';
import { memo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { paths } from '../../paths.ts';
import { COST_STEPS, DURATION_STEPS } from '../../ui/charts/axis.ts';
import type { Tone } from '../../ui/charts/chart.tsx';
import { DotChart } from '../../ui/charts/dot-chart.tsx';
import type { Dot } from '../../ui/charts/dot-plot.tsx';
import { createDetails, MAX_DOTS } from '../../ui/charts/dots.ts';
import { formatDuration } from '../../ui/format/duration.ts';
import { useNumbers } from '../../ui/format/use-numbers.ts';
import { FilterSelect } from '../../ui/lists/filter-select.tsx';
import { useAgentName } from '../agents/agent-names.ts';

const TONES: Record<TurnStatus, Tone> = {
  QUEUED: 'active',
  RUNNING: 'active',
  INPUT_REQUIRED: 'warned',
  COMPLETED: 'good',
  FAILED: 'bad',
  CANCELLED: 'quiet',
};
/** Those in one group have the same tone. */
const LEGEND: TurnStatus[][] = [
  ['COMPLETED'],
  ['FAILED'],
  ['INPUT_REQUIRED'],
  ['CANCELLED'],
  ['RUNNING', 'QUEUED'],
];
const MEASURES = ['duration', 'cost'] as const;

interface TurnsPictureProps {
  /** The newest first. */
  turns: readonly TurnListing[];
  hasMore: boolean;
}

/** The turns of a list over time, by how long they took, or by what they cost. */
export const TurnsPicture = memo(function TurnsPicture({ turns, hasMore }: TurnsPictureProps) {
  const { t, i18n } = useTranslation();
  const { cost } = useNumbers();
  const nameOf = useAgentName();
  const [measure, setMeasure] = useState<(typeof MEASURES)[number]>('duration');
  const { language } = i18n;
  const shown = turns.slice(0, MAX_DOTS);
  const detailsOf = createDetails(language);
  const format = (value: number) => (measure === 'cost' ? cost(value) : formatDuration(value, language));
  const dots = shown.map((turn): Dot => {
    const {
      id,
      agentId,
      turnId,
      session,
      status,
      createdAt,
      execution_time: time,
      token_usage: usage,
    } = turn;
    const durationMs = time === null ? null : time * 1_000;
    const details = [
      t(`jobs.statuses.${status}`),
      ...(durationMs === null ? [] : [formatDuration(durationMs, language)]),
      ...(usage.cost > 0 ? [cost(usage.cost)] : []),
    ];
    return {
      key: id,
      at: Date.parse(createdAt),
      value: measure === 'cost' ? usage.cost : durationMs,
      tone: TONES[status],
      // The conversations of others are private.
      to: session === null ? undefined : paths.trace(agentId, turnId),
      title: session?.title || nameOf(turn),
      details: detailsOf(details, createdAt),
    };
  });
  const legend = LEGEND.flatMap((group) => {
    const present = group.filter((status) => shown.some((turn) => turn.status === status));
    const label = present.map((status) => t(`jobs.statuses.${status}`)).join(', ');
    return present[0] === undefined ? [] : [{ tone: TONES[present[0]], label }];
  });
  const isPart = hasMore || turns.length > shown.length;
  const caption = t(isPart ? 'traces.newest' : 'traces.all', { count: dots.length });

  return (
    <DotChart
      caption={caption}
      legend={legend}
      actions={
        <FilterSelect
          label={t('traces.measure')}
          value={measure}
          onChange={(next) => setMeasure(next ?? 'duration')}
          options={MEASURES.map((one) => ({ value: one, label: t(`traces.${one}`) }))}
          width={120}
        />
      }
      dots={dots}
      steps={measure === 'cost' ? COST_STEPS : DURATION_STEPS}
      format={format}
    />
  );
});

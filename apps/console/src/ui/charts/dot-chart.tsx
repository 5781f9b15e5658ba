import { useMemo, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { createLogAxis } from './axis.ts';
import { Chart, type Legend } from './chart.tsx';
import { DotPlot, type Dot } from './dot-plot.tsx';
import { describeDots, timesOf } from './dots.ts';

interface DotChartProps {
  caption: string;
  legend: readonly Legend[];
  actions?: ReactNode;
  /** The newest first, as in the list below. */
  dots: readonly Dot[];
  /** Where the axis of the values can begin, end, and have a label. */
  steps: readonly number[];
  /** A value as a label. */
  format: (value: number) => string;
}

/** A chart of points over time, with a logarithmic axis. */
export function DotChart({ caption, legend, actions, dots: newestFirst, steps, format }: DotChartProps) {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  const dots = useMemo(() => newestFirst.toReversed().sort((a, b) => a.at - b.at), [newestFirst]);
  const axis = useMemo(
    () =>
      createLogAxis(
        dots.map(({ value }) => value ?? 0),
        steps,
      ),
    [dots, steps],
  );
  return (
    <Chart
      caption={caption}
      legend={legend}
      actions={actions}
      levels={axis.labels.map(format).reverse()}
      times={timesOf(dots, language)}
      help={t('charts.dotsHelp')}
    >
      {(helpId) => (
        <DotPlot
          dots={dots}
          axis={axis}
          summary={describeDots(caption, dots, legend, language)}
          helpId={helpId}
        />
      )}
    </Chart>
  );
}

import { useId, type ReactNode } from 'react';
import './charts.css';

/** Colors of what charts show: the sheet names them. */
export type Tone = 'done' | 'good' | 'bad' | 'warned' | 'active' | 'quiet';

export interface Legend {
  tone: Tone;
  label: string;
}

interface ChartProps {
  /** What the chart shows, in a few words. */
  caption: ReactNode;
  legend: readonly Legend[];
  actions?: ReactNode;
  /** Whether it still shows something else than was asked for. */
  isBusy?: boolean;
  /** Labels of the vertical axis, from the top to the bottom. */
  levels: readonly string[];
  /** Labels of the horizontal axis: from the left to the right, evenly. */
  times: readonly string[];
  /** How to use it with the keyboard, for the part that refers to it. */
  help: string;
  children: (helpId: string) => ReactNode;
}

/** The frame of a chart above a list. Its height does not depend on what it contains. */
export function Chart(props: ChartProps) {
  const { caption, legend, actions, isBusy = false, levels, times, help, children } = props;
  const helpId = useId();
  return (
    <figure className="chart" aria-busy={isBusy}>
      <figcaption className="chart-head muted">
        <span className="chart-caption">{caption}</span>
        <span className="chart-legend" aria-hidden>
          {legend.map(({ tone, label }) => (
            <span key={tone}>
              <span className={`chart-key tone-${tone}`} /> {label}
            </span>
          ))}
        </span>
        {actions}
      </figcaption>
      <div className="chart-plot">
        <span className="chart-levels muted" aria-hidden>
          {levels.map((level, i) => (
            <span key={i}>{level}</span>
          ))}
        </span>
        <div className="chart-area">{children(helpId)}</div>
      </div>
      <div className="chart-times muted" aria-hidden>
        {times.map((time, i) => (
          <span key={i}>{time}</span>
        ))}
      </div>
      <span id={helpId} className="visually-hidden">
        {help}
      </span>
    </figure>
  );
}

interface ChartTipProps {
  /** Percent from the left and from the top. */
  left: number;
  top: number;
  children: ReactNode;
}

/** What is pointed at. Screen readers have the same from the point itself. */
export function ChartTip({ left, top, children }: ChartTipProps) {
  const move = `translate(${left > 60 ? 'calc(-100% - 10px)' : '10px'}, ${top > 50 ? '-100%' : '0'})`;
  return (
    <div className="chart-tip" style={{ left: `${left}%`, top: `${top}%`, transform: move }} aria-hidden>
      {children}
    </div>
  );
}

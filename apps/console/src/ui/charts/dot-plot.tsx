import { memo, useState } from 'react';
import { Link, type To } from 'react-router';
import type { LogAxis } from './axis.ts';
import { ChartTip, type Tone } from './chart.tsx';
import { useRoving } from './use-roving.ts';

export interface Dot {
  key: string;
  /** When, in ms. */
  at: number;
  /** How high. Null if it is not known yet; that and 0 are at the bottom. */
  value: number | null;
  tone: Tone;
  /** Where it leads, if anywhere. */
  to?: To | undefined;
  /** What it is, for the tip and for screen readers. */
  title: string;
  details: string;
}

interface DotPlotProps {
  /** The oldest first. */
  dots: readonly Dot[];
  axis: LogAxis;
  /** All that the picture tells, as a text. */
  summary: string;
  helpId: string;
}

/** Points over time. One of them is in the order of Tab; the arrow keys lead to the others. */
export function DotPlot({ dots, axis, summary, helpId }: DotPlotProps) {
  const [active, setActive] = useState<string | null>(null);
  const [shown, setShown] = useState<string | null>(null);
  const { ref, onKeyDown } = useRoving<SVGSVGElement>();
  const [from = 0, to = 0] = [dots[0]?.at, dots.at(-1)?.at];
  const leftOf = ({ at }: Dot) => (to === from ? 50 : (100 * (at - from)) / (to - from));
  const topOf = ({ value }: Dot) => 100 - 100 * axis.heightOf(value ?? 0);
  const tipped = dots.find(({ key }) => key === shown);
  const inOrder = dots.some(({ key }) => key === active) ? active : dots.at(-1)?.key;

  return (
    <>
      <svg
        ref={ref}
        className="chart-svg dots"
        role="group"
        aria-label={summary}
        aria-describedby={helpId}
        onKeyDown={onKeyDown}
      >
        {dots.map((dot) => (
          <Point
            key={dot.key}
            dot={dot}
            left={leftOf(dot)}
            top={topOf(dot)}
            isInOrder={dot.key === inOrder}
            onFocus={setActive}
            onShow={setShown}
          />
        ))}
      </svg>
      {tipped !== undefined && (
        <ChartTip left={leftOf(tipped)} top={topOf(tipped)}>
          <strong>{tipped.title}</strong>
          <br />
          {tipped.details}
        </ChartTip>
      )}
    </>
  );
}

interface PointProps {
  dot: Dot;
  left: number;
  top: number;
  isInOrder: boolean;
  onFocus: (key: string) => void;
  onShow: (key: string | null) => void;
}

/** Pointing at one draws only that one again. */
const Point = memo(function Point({ dot, left, top, isInOrder, onFocus, onShow }: PointProps) {
  const { key, to, tone, value, title, details } = dot;
  const events = {
    'data-point': '',
    tabIndex: isInOrder ? 0 : -1,
    'aria-label': `${details} · ${title}`,
    className: `chart-dot tone-${tone} ${value === null ? 'hollow' : ''}`,
    onFocus: () => {
      onFocus(key);
      onShow(key);
    },
    onBlur: () => onShow(null),
    onMouseEnter: () => onShow(key),
    onMouseLeave: () => onShow(null),
  };
  const mark = (
    <svg x={`${left}%`} y={`${top}%`} overflow="visible">
      <circle className="chart-target" r="6" />
      {tone === 'bad' || tone === 'warned' ? (
        <path className="chart-mark" d="M0 -5 L5 0 L0 5 L-5 0 Z" />
      ) : (
        <circle className="chart-mark" r="3.5" />
      )}
    </svg>
  );
  return to === undefined ? (
    <g role="img" {...events}>
      {mark}
    </g>
  ) : (
    <Link to={to} {...events}>
      {mark}
    </Link>
  );
});

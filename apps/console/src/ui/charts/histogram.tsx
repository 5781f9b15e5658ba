import { useState, type KeyboardEvent, type PointerEvent } from 'react';
import { chooseMaximum } from './axis.ts';
import { ChartTip, type Tone } from './chart.tsx';

export interface Bar {
  /** From the bottom to the top. */
  parts: { tone: Tone; count: number }[];
}

interface HistogramProps {
  bars: readonly Bar[];
  /** All that the picture tells, as a text. */
  summary: string;
  brushLabel: string;
  helpId: string;
  /** What some adjacent bars contain. */
  describe: (first: number, last: number) => string;
  /** Some adjacent bars were chosen. */
  onBrush: (first: number, last: number) => void;
}

interface Brush {
  anchor: number;
  at: number;
  isDragged: boolean;
  /** What is chosen from: bars that arrive meanwhile would move those below the pointer. */
  held: HistogramProps;
}

/** The height of the smallest part, in percent. */
const LEAST = 2.5;

const totalOf = ({ parts }: Bar): number => parts.reduce((sum, { count }) => sum + count, 0);

/** The number at the top of the axis. */
export const topOf = (bars: readonly Bar[]): number => chooseMaximum(Math.max(0, ...bars.map(totalOf)));

/** Stacked bars, of which some are chosen by dragging, or with the arrow keys, Shift, and Enter. */
export function Histogram(props: HistogramProps) {
  const [brush, setBrush] = useState<Brush | null>(null);
  const held = brush?.held ?? props;
  const { bars, summary, brushLabel, helpId, describe, onBrush } = held;
  const [pointed, setPointed] = useState<number | null>(null);
  const count = bars.length;
  const width = 100 / count;
  const top = topOf(bars);
  const [first, last] = brush === null ? [0, -1] : order(brush.anchor, brush.at);
  const shown = brush === null ? pointed : brush.at;

  const indexAt = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width: all } = currentTarget.getBoundingClientRect();
    return clamp(Math.floor(((clientX - left) / all) * count), count);
  };
  const choose = () => {
    setBrush(null);
    if (brush !== null) onBrush(first, last);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const from = brush?.at ?? count - 1;
    const target = { ArrowLeft: from - 1, ArrowRight: from + 1, Home: 0, End: count - 1 }[event.key];
    if (target !== undefined) {
      const at = clamp(target, count);
      setBrush({ anchor: event.shiftKey ? (brush?.anchor ?? from) : at, at, isDragged: false, held });
    } else if (event.key === 'Enter' || event.key === ' ') choose();
    else if (event.key === 'Escape' && brush !== null) setBrush(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <>
      <svg className="chart-svg" role="img" aria-label={summary}>
        {bars.map((bar, i) => (
          <Stack key={i} bar={bar} left={i * width} width={width} top={top} />
        ))}
        {brush !== null && (
          <rect
            className="chart-brushed"
            x={`${first * width}%`}
            width={`${(last - first + 1) * width}%`}
            height="100%"
          />
        )}
      </svg>
      <div
        role="slider"
        tabIndex={0}
        className="chart-brush"
        aria-label={brushLabel}
        aria-describedby={helpId}
        aria-valuemin={0}
        aria-valuemax={count - 1}
        aria-valuenow={brush?.at ?? count - 1}
        aria-valuetext={brush === null ? summary : describe(first, last)}
        onKeyDown={onKeyDown}
        onBlur={() => setBrush(null)}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          const at = indexAt(event);
          setBrush({ anchor: at, at, isDragged: true, held });
        }}
        onPointerMove={(event) => {
          const at = indexAt(event);
          if (brush?.isDragged === true) setBrush({ ...brush, at });
          else setPointed(at);
        }}
        onPointerUp={() => brush?.isDragged === true && choose()}
        onPointerCancel={() => setBrush(null)}
        onPointerLeave={() => setPointed(null)}
      />
      {shown !== null && shown < count && (
        <ChartTip left={(shown + 0.5) * width} top={0}>
          {brush === null ? describe(shown, shown) : describe(first, last)}
        </ChartTip>
      )}
    </>
  );
}

interface StackProps {
  bar: Bar;
  left: number;
  width: number;
  top: number;
}

function Stack({ bar, left, width, top }: StackProps) {
  let bottom = 100;
  return bar.parts.map(({ tone, count }) => {
    if (count === 0) return null;
    const height = Math.max(LEAST, (100 * count) / top);
    bottom -= height;
    return (
      <rect
        key={tone}
        className={`chart-part tone-${tone}`}
        x={`${left + width * 0.08}%`}
        width={`${width * 0.84}%`}
        y={`${bottom}%`}
        height={`${height}%`}
      />
    );
  });
}

const clamp = (i: number, count: number): number => Math.min(count - 1, Math.max(0, i));
const order = (a: number, b: number): [number, number] => (a < b ? [a, b] : [b, a]);

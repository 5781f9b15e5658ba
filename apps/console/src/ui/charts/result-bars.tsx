import { useState } from 'react';
import { Link, type To } from 'react-router';
import type { Tone } from './chart.tsx';
import './charts.css';
import { useRoving } from './use-roving.ts';

interface ResultBar {
  key: string;
  /** Null if there is none. */
  value: number | null;
  tone: Tone;
  to: To;
  label: string;
}

interface ResultBarsProps {
  /** The oldest first. */
  bars: readonly ResultBar[];
  label: string;
}

/** How many there is room for. */
const ROOM = 20;
const STEP = 7;
const HEIGHT = 26;
const LEAST = 4;

/** The last results of something, in a row of a list: the longer, the higher, compared with the others of the row. */
export function ResultBars({ bars, label }: ResultBarsProps) {
  const [active, setActive] = useState<string | null>(null);
  const { ref, onKeyDown } = useRoving<SVGSVGElement>();
  const most = Math.log1p(Math.max(1, ...bars.map(({ value }) => value ?? 0)));
  const inOrder = bars.some(({ key }) => key === active) ? active : bars.at(-1)?.key;
  const heightOf = (value: number | null) => LEAST + (HEIGHT - LEAST) * (Math.log1p(value ?? 0) / most);
  return (
    <svg
      ref={ref}
      className="result-bars"
      role="group"
      aria-label={label}
      width={ROOM * STEP}
      height={HEIGHT}
      onKeyDown={onKeyDown}
    >
      {bars.map(({ key, value, tone, to, label: name }, i) => {
        const x = (ROOM - bars.length + i) * STEP;
        const height = heightOf(value);
        return (
          <Link
            key={key}
            to={to}
            data-point=""
            tabIndex={key === inOrder ? 0 : -1}
            aria-label={name}
            className={`result-bar tone-${tone}`}
            onFocus={() => setActive(key)}
          >
            <title>{name}</title>
            <rect className="chart-target" x={x} width={STEP} height={HEIGHT} />
            <rect
              className="chart-part"
              x={x + 1}
              width={STEP - 2}
              y={HEIGHT - height}
              height={height}
              rx="1"
            />
          </Link>
        );
      })}
    </svg>
  );
}

const UNITS: [number, 'hour' | 'minute' | 'second' | 'millisecond', number][] = [
  [3_600_000, 'hour', 1],
  [60_000, 'minute', 1],
  [1_000, 'second', 2],
  [0, 'millisecond', 0],
];

/** Formats milliseconds as "38 ms", "1.25 sec", or "4.2 min". */
export function formatDuration(ms: number, language: string): string {
  const [size, unit, digits] = UNITS.find(([least]) => ms >= least) ?? ([0, 'millisecond', 0] as const);
  const format = new Intl.NumberFormat(language, {
    style: 'unit',
    unit,
    unitDisplay: 'short',
    maximumFractionDigits: digits,
  });
  return format.format(Math.max(0, ms) / (size || 1));
}

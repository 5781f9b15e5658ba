const UNITS: [number, 'hour' | 'minute' | 'second' | 'millisecond', number][] = [
  [3_600_000, 'hour', 1],
  [60_000, 'minute', 1],
  [1_000, 'second', 2],
  [0, 'millisecond', 0],
];

/** Formats the milliseconds of what goes on in whole seconds, as "38 sec", "4:05", or "1:04:05". */
export function formatClock(ms: number, language: string): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 60) return formatUnit(seconds, 'second', 0, language);
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  const shown = parts[0] === 0 ? parts.slice(1) : parts;
  return shown.map((part, i) => (i === 0 ? String(part) : String(part).padStart(2, '0'))).join(':');
}

/** Formats milliseconds as "38 ms", "1.25 sec", or "4.2 min". */
export function formatDuration(ms: number, language: string): string {
  const [size, unit, digits] = UNITS.find(([least]) => ms >= least) ?? ([0, 'millisecond', 0] as const);
  return formatUnit(Math.max(0, ms) / (size || 1), unit, digits, language);
}

function formatUnit(value: number, unit: string, digits: number, language: string): string {
  const options = { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: digits } as const;
  return new Intl.NumberFormat(language, options).format(value);
}

/** From the smallest to the largest. */
export const DURATION_UNITS = ['second', 'minute', 'hour', 'day'] as const;
export type DurationUnit = (typeof DURATION_UNITS)[number];

const UNIT_MS: Record<DurationUnit, number> = {
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};
const SIMPLE = /^P(?:(?<days>\d{1,9})D|T(?<amount>\d{1,9})(?<unit>[HMS]))$/;
const LETTERS = { H: 'hour', M: 'minute', S: 'second' } as const;

interface Duration {
  amount: number;
  unit: DurationUnit;
}

/** Returns the milliseconds in the largest unit of which they are a whole number, at least in seconds. */
export function splitDuration(ms: number): Duration {
  const unit = DURATION_UNITS.findLast((one) => ms !== 0 && ms % UNIT_MS[one] === 0) ?? 'second';
  return { amount: ms / UNIT_MS[unit], unit };
}

export function joinDuration({ amount, unit }: Duration): number {
  return Math.round(amount * UNIT_MS[unit]);
}

/** Returns an ISO 8601 duration that has one unit, or undefined for others, and for templates. */
export function parseDuration(text: string): Duration | undefined {
  const { days, amount, unit } = SIMPLE.exec(text)?.groups ?? {};
  if (days !== undefined) return { amount: Number(days), unit: 'day' };
  if (amount === undefined || unit === undefined) return undefined;
  return { amount: Number(amount), unit: LETTERS[unit as keyof typeof LETTERS] };
}

/** Returns the ISO 8601 duration. */
export function writeDuration({ amount, unit }: Duration): string {
  return unit === 'day' ? `P${amount}D` : `PT${amount}${unit.charAt(0).toUpperCase()}`;
}

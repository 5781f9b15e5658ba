export const PERIODS = ['15m', '1h', '24h', '7d', '30d'] as const;
export type Period = (typeof PERIODS)[number];

const MINUTES: Record<Period, number> = {
  '15m': 15,
  '1h': 60,
  '24h': 24 * 60,
  '7d': 7 * 24 * 60,
  '30d': 30 * 24 * 60,
};

/** Returns the start of a period that ends now, as ISO 8601. */
export function findPeriodStart(period: Period, now: number): string {
  return new Date(now - MINUTES[period] * 60_000).toISOString();
}

/** Returns the value of a `datetime-local` field for an ISO time, in the time zone of the browser. */
export function toLocalInput(iso: string | undefined): string {
  const time = iso === undefined ? NaN : Date.parse(iso);
  if (Number.isNaN(time)) return '';
  return new Date(time - new Date(time).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Returns the ISO time of a `datetime-local` field; undefined if it is empty. */
export function fromLocalInput(value: string): string | undefined {
  const time = new Date(value).getTime();
  return value === '' || Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

/** Returns the ISO time if it is valid. URLs are foreign data. */
export function validTime(iso: string | null): string | undefined {
  return iso === null || Number.isNaN(Date.parse(iso)) ? undefined : new Date(iso).toISOString();
}

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

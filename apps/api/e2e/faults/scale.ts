import type { Transport } from './fleet.ts';

/** `npm test`, `npm run test:slow`, and `npm run test:faults`; set by tools/jest.mjs. */
type Tier = 'quick' | 'slow' | 'faults';

const tier = (process.env.TEST_TIER ?? 'quick') as Tier;

const skipReason = process.env.PLATFORM_SKIP_REDIS;
if (skipReason) console.warn(`Faults are not tested on Redis: ${skipReason}`);

export const hasRedis = !skipReason;

/** The time limit of tests that start many processes or repeat much. */
export const LIMIT_MS = Number(process.env.TEST_LIMIT_MS ?? (tier === 'quick' ? 300_000 : 3_600_000));

/**
 * The count of the tier, or that of the variable `name`. A test of the quick tier that uses it runs in the slow tier as well:
 * with the larger count, and with other random values each time.
 */
export function scaled(name: string, counts: { quick?: number; slow: number; faults?: number }): number {
  const count = Number(process.env[name] ?? counts[tier] ?? counts.slow);
  // Part of the result.
  if (tier !== 'quick') console.info(`${name}=${count}`);
  return count;
}

/** Both transports in `npm run test:faults`, otherwise the usual one. */
export function transports(usual: Transport): Transport[] {
  if (tier !== 'faults') return [usual];
  return hasRedis ? ['in-process', 'bull'] : ['in-process'];
}

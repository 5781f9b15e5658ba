import type { Transport } from './fleet.ts';

/** Set by `npm run test:faults`: more repetitions, longer faults, both transports. */
const isFull = process.env.FAULTS === 'full';

const skipReason = process.env.PLATFORM_SKIP_REDIS;
if (skipReason) console.warn(`Faults are not tested on Redis: ${skipReason}`);

export const hasRedis = !skipReason;

/** The usual count or the full one, or that of the variable `name`; printed, because it is part of the result. */
export function scaled(name: string, usual: number, full: number): number {
  const count = Number(process.env[name] ?? (isFull ? full : usual));
  console.info(`${name}=${count}`);
  return count;
}

/** `usual`: what `npm test` runs. */
export function transports(usual: Transport): Transport[] {
  if (!isFull) return [usual];
  return hasRedis ? ['in-process', 'bull'] : ['in-process'];
}

import { setTimeout as delay } from 'node:timers/promises';
import { Pace } from './pace.ts';

const INTERVAL_MS = 25;
/** After how many requests the pace of the machine is sampled. */
const SAMPLED = 8;

export interface BystanderTarget {
  url: string;
  apiKey: string;
}

export interface Waits {
  requests: number;
  /** Requests that failed or were answered with anything but 200. */
  failures: string[];
  /** Milliseconds. */
  p50: number;
  p95: number;
  p99: number;
  max: number;
  /** Of the machine at that time: what limits are multiplied by. */
  slowness: number;
}

/**
 * Somebody who sends short requests while others keep the service busy: the liveness check and an authenticated read,
 * in turns. A request is sent every 25 ms whether or not the ones before were answered, so a service that stops for a
 * second is counted forty times, not once.
 */
export async function measureBystander(
  { url, apiKey }: BystanderTarget,
  load: () => Promise<unknown>,
): Promise<Waits> {
  const waits: number[] = [];
  const failures: string[] = [];
  const ask = async (path: string) => {
    const sentAt = performance.now();
    try {
      const response = await fetch(`${url}${path}`, { headers: { Authorization: `Bearer ${apiKey}` } });
      await response.arrayBuffer();
      if (response.status !== 200) failures.push(`${path} ${response.status}`);
    } catch (error) {
      failures.push(`${path} ${String(error)}`);
    }
    waits.push(performance.now() - sentAt);
  };

  // The first requests open connections and prepare statements; they are no one's fault.
  await Promise.all([ask('/api/health/live'), ask('/api/auth/me')]);
  waits.length = 0;

  const pace = new Pace();
  const sent: Promise<void>[] = [];
  let loaded = false as boolean;
  const work = load().finally(() => (loaded = true));
  work.catch(() => undefined);
  while (!loaded) {
    if (sent.length % SAMPLED === 0) pace.sample();
    sent.push(ask(sent.length % 2 === 0 ? '/api/health/live' : '/api/auth/me'));
    await delay(INTERVAL_MS);
  }
  await Promise.all(sent);
  await work;

  waits.sort((a, b) => a - b);
  const at = (share: number) => waits[Math.min(waits.length - 1, Math.floor(waits.length * share))] ?? 0;
  const told = {
    requests: waits.length,
    failures,
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
    max: waits.at(-1) ?? 0,
    slowness: pace.slowness,
  };
  const [p50, p99, max] = [told.p50, told.p99, told.max].map(Math.round);
  console.info(
    `A bystander of ${waits.length} requests waits p50 ${p50} ms, p99 ${p99} ms, at most ${max} ms; slowness ${told.slowness.toFixed(1)}`,
  );
  return told;
}

import { setTimeout } from 'node:timers/promises';

/** Waits so many milliseconds; throws the signal's reason when it aborts. */
export async function delay(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
}

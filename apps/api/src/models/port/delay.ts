import { setTimeout } from 'node:timers/promises';

/** Waits for some milliseconds. Throws the reason of the signal if it aborts. */
export async function delay(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
}

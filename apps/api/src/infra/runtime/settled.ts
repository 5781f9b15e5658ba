import { setImmediate } from 'node:timers/promises';

const MAX_TURN_MS = 10;

/** Maps items one after another, and lets other work of the process run in between. No failure affects another item. */
export async function settleInTurns<Item, Result>(
  items: readonly Item[],
  map: (item: Item) => Promise<Result>,
): Promise<PromiseSettledResult<Result>[]> {
  const results: Promise<PromiseSettledResult<Result>[]>[] = [];
  let turnEnds = performance.now() + MAX_TURN_MS;
  for (const item of items) {
    // Settled at once, because nobody waits for a promise that rejects before the last item has started.
    results.push(Promise.allSettled([map(item)]));
    if (performance.now() < turnEnds) continue;
    await setImmediate();
    turnEnds = performance.now() + MAX_TURN_MS;
  }
  return (await Promise.all(results)).flat();
}

/** Returns the value of a settled promise, or throws its reason. */
export function valueOf<Value>(result: PromiseSettledResult<Value>): Value {
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}

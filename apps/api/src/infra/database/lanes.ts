import { FairQueue } from '../runtime/fair-queue.ts';
import { isUnavailable } from './unavailable.ts';

/** The longest wait in a lane that moves; clients give up around then. */
const MAX_WAIT_MS = 60_000;

/**
 * Prevents callers who may have to wait for the same lock from taking every connection: at most half of the pool works
 * for one key. The others wait as long as work with their key succeeds. When nothing succeeds for twice the time to wait
 * for a connection, they fail as if there was none. An error that is no outage comes from a database that responds.
 */
export function openLanes(connections: number, connectMs: number): FairQueue {
  return new FairQueue({
    perKey: Math.floor(connections / 2),
    maxWaitMs: MAX_WAIT_MS,
    stall: { ms: 2 * connectMs, isStall: isUnavailable },
  });
}

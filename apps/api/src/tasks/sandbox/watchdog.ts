import { workerData } from 'node:worker_threads';

// A thread of the sandbox process, which Node.js runs without compiling it. Built-ins such as a search in a long text cannot be
// interrupted: while they block the main thread, it cannot notice that its worker has died.

/** How long the main thread of a sandbox process can be stuck, and the counter that it increases while it is not. */
export interface WatchdogData {
  stuckMs: number;
  beats: SharedArrayBuffer;
}

const TICK_MS = 500;
const { stuckMs, beats } = workerData as WatchdogData;
const counter = new Int32Array(beats);
let count = 0;
let changedAt = performance.now();

setInterval(() => {
  const now = performance.now();
  const current = Atomics.load(counter, 0);
  if (current !== count) changedAt = now;
  count = current;
  if (now - changedAt > stuckMs) process.kill(process.pid, 'SIGKILL');
}, TICK_MS);

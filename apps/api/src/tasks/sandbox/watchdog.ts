import { workerData } from 'node:worker_threads';
import { OUT_OF_CPU } from './out-of-cpu.ts';

// A thread of the sandbox process, which Node.js runs without compiling it. Built-ins such as a search in a long text cannot be
// interrupted: while they block the main thread, it can neither end them nor notice that its worker has died.

/** How long the main thread of a sandbox process can be stuck, and the counter that it increases while it is not. */
export interface WatchdogData {
  beats: SharedArrayBuffer;
  stuckMs: number;
  /** Processor time of the process meanwhile. */
  cpuMs: number;
}

const TICK_MS = 500;
const { beats, stuckMs, cpuMs } = workerData as WatchdogData;
const counter = new Int32Array(beats);
const worker = process.ppid;
let count = 0;
let changed = { at: performance.now(), cpu: process.cpuUsage() };

setInterval(() => {
  const now = performance.now();
  const current = Atomics.load(counter, 0);
  if (current !== count) changed = { at: now, cpu: process.cpuUsage() };
  count = current;
  const { user, system } = process.cpuUsage(changed.cpu);
  if (process.ppid !== worker || now - changed.at > stuckMs) process.kill(process.pid, 'SIGKILL');
  else if ((user + system) / 1_000 > cpuMs) process.kill(process.pid, OUT_OF_CPU);
}, TICK_MS);

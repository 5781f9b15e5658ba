import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { ExtractionJob, ExtractionMessage } from './extraction-thread.ts';

// The program of an extraction process. Node.js runs it without compiling it: only types that can be removed are allowed.
// Each document has a thread of its own, so that the main thread notices the end of the service, and how much memory is used.

/** What a document may use. */
export interface DocumentLimits {
  /** Milliseconds of processor time of all threads, so that a busy machine fails no document. */
  cpuMs: number;
  heapMb: number;
  residentMb: number;
  /** How much memory a process may have to read another document. */
  reusableMb: number;
}

export type ChildMessage =
  | { type: 'started' }
  | Extract<ExtractionMessage, { type: 'rows' }>
  | { type: 'end'; outcome: Outcome; isReusable: boolean };
type Outcome =
  Exclude<ExtractionMessage, { type: 'rows' }> | { type: 'failed'; message: string } | { type: 'memory' };

const TICK_MS = 50;
const { cpuMs, heapMb, residentMb, reusableMb } = JSON.parse(process.argv[2] ?? '') as DocumentLimits;
const threadProgram = new URL(
  `./extraction-thread${extname(fileURLToPath(import.meta.url))}`,
  import.meta.url,
);

// Node.js can hang in `exit()` while V8 compiles, so this process never calls it.
const end = () => process.kill(process.pid, 'SIGKILL');
process.on('disconnect', end);
process.on('uncaughtException', end);
if (!process.connected) end();

// The service decides when its processes end: a Ctrl-C in its terminal must not reach them first.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);

const residentMbNow = () => process.memoryUsage.rss() / 1024 / 1024;
const cpuMsNow = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};
const send = (message: ChildMessage) => process.send?.(message);

process.on('message', (job: ExtractionJob) => {
  send({ type: 'started' });
  // What arrived may be part of a larger array, which must stay here.
  const data = Uint8Array.from(job.data);
  const thread = new Worker(threadProgram, {
    workerData: { ...job, data },
    transferList: [data.buffer],
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
  });
  let outcome: Outcome = { type: 'failed', message: 'The extraction thread ended without a result' };
  const startedAtMs = cpuMsNow();
  const watch = setInterval(() => {
    if (residentMbNow() > residentMb) end();
    if (cpuMsNow() - startedAtMs <= cpuMs) return;
    outcome = {
      type: 'unreadable',
      message: `Reading the document takes more than ${cpuMs / 1_000} seconds of processor time.`,
    };
    void thread.terminate();
  }, TICK_MS);
  thread.on('message', (message: ExtractionMessage) => {
    if (message.type === 'rows') {
      send(message);
      return;
    }
    outcome = message;
    void thread.terminate();
  });
  thread.on('error', (error: Error & { code?: string }) => {
    const isMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
    outcome = isMemory ? { type: 'memory' } : { type: 'failed', message: error.stack ?? error.message };
  });
  thread.on('exit', () => {
    clearInterval(watch);
    const isRead = outcome.type === 'done' || outcome.type === 'unreadable';
    send({ type: 'end', outcome, isReusable: isRead && residentMbNow() < reusableMb });
  });
});

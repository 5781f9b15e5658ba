import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { newQuickJSWASMModuleFromVariant, newVariant, RELEASE_SYNC } from 'quickjs-emscripten';
import { Execution, type ExecutionHost, type ExecutionState } from './execution.ts';
import { createMemory, Interpreter } from './interpreter.ts';
import type { SandboxLimits, SandboxMessage, StartedCode, WorkerMessage } from './messages.ts';
import type { WatchdogData } from './watchdog.ts';

// The program of a sandbox process. Node.js runs it without compiling it: only types that can be removed are allowed.
// It has no environment and may read nothing but this folder and QuickJS.

const TICK_MS = 500;
/** How much longer than a slice the main thread can be stuck, if the worker does not end it. */
const STUCK_GRACE_MS = 4_000;
/** How much more processor time than the code a built-in that cannot be interrupted can take. */
const CPU_GRACE_MS = 2_000;
/** How long executions follow each other before this process looks for the end of its worker again. */
const TURN_MS = 50;
const limits = JSON.parse(process.argv[2] ?? '') as SandboxLimits;

// The worker has died, maybe while this process starts: a message to it fails then. Node.js can hang in `exit()` while V8
// compiles, so this process never calls it.
const end = () => process.kill(process.pid, 'SIGKILL');
process.on('disconnect', end);
process.on('uncaughtException', end);
if (!process.connected) end();

const quickJs = newVariant(RELEASE_SYNC, { wasmMemory: createMemory(limits) });
const interpreter = new Interpreter(await newQuickJSWASMModuleFromVariant(quickJs), limits);

/** The one that runs or waits. */
let current: { id: number; execution: Execution } | null = null;
/** When this turn of the event loop began; null before the first execution. */
let turnSince: number | null = null;
let heardAt = performance.now();
let wasSilent = false;

const send = (message: SandboxMessage) => process.send?.(message);

process.on('message', (message: WorkerMessage) => {
  heardAt = performance.now();
  wasSilent = false;
  switch (message.type) {
    case 'ping':
      return;
    case 'start': {
      startAll(message.executions);
      return;
    }
    case 'result': {
      resume(message.execution, message.id, { json: message.json });
      return;
    }
    case 'error': {
      resume(message.execution, message.id, { error: message.error });
      return;
    }
  }
});

// The worker decides when its processes end: a Ctrl-C in its terminal must not reach them first.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);

const beats = new SharedArrayBuffer(4);
const watchdogData: WatchdogData = {
  beats,
  stuckMs: limits.sliceMs + STUCK_GRACE_MS,
  cpuMs: limits.cpuMs + CPU_GRACE_MS,
};
new Worker(new URL(`./watchdog${extname(fileURLToPath(import.meta.url))}`, import.meta.url), {
  workerData: watchdogData,
  env: {},
});

setInterval(() => {
  Atomics.add(new Int32Array(beats), 0, 1);
  const isSilent = performance.now() - heardAt > limits.silenceMs - 2 * TICK_MS;
  // Messages that arrived during a long slice are read only after this callback.
  if (isSilent && wasSilent) end();
  wasSilent = isSilent;
}, TICK_MS);

send({ type: 'ready' });

/** Runs executions one after another. Returns those to the worker that would have to wait for another one. */
function startAll(executions: readonly StartedCode[]): void {
  const returned: number[] = [];
  for (const { id, source, context, cpuMs } of executions) {
    if (current !== null || isTurnOver()) {
      returned.push(id);
      continue;
    }
    const execution = newExecution(cpuMs);
    current = { id, execution };
    report(() => execution.start(source, context));
  }
  if (returned.length > 0) send({ type: 'returned', executions: returned });
}

function isTurnOver(): boolean {
  if (turnSince === null) {
    turnSince = performance.now();
    setImmediate(() => (turnSince = null));
  }
  return performance.now() - turnSince > TURN_MS;
}

function newExecution(cpuMs: number | undefined): Execution {
  const host: ExecutionHost = {
    log: (lines) => send({ type: 'log', lines }),
    call: (id, action, json) => send({ type: 'call', id, action, json }),
  };
  return new Execution(interpreter, host, cpuMs);
}

/** Ignores the result of a call whose execution has ended. */
function resume(execution: number, id: number, result: Parameters<Execution['resume']>[1]): void {
  if (current?.id !== execution) return;
  const { execution: waiting } = current;
  report(() => waiting.resume(id, result));
}

/** Runs a slice and tells the worker how it ended. */
function report(slice: () => ExecutionState): void {
  const state = trap(slice);
  if (state.type === 'waiting') {
    send(state);
    return;
  }
  // An interpreter that ran out of something is not trusted any more.
  const isLast = state.type === 'failed' && state.failure.kind === 'limit';
  if (isLast) {
    process.send?.({ ...state, isLast } satisfies SandboxMessage, end);
    return;
  }
  current = null;
  send({ ...state, isLast });
  interpreter.reset();
}

/** An error of the interpreter itself, such as its own stack running out. */
function trap(slice: () => ExecutionState): ExecutionState {
  try {
    return slice();
  } catch (error) {
    const isStack = error instanceof RangeError && error.message.includes('call stack');
    const message = isStack ? 'The code nests values or calls too deeply' : 'The code broke the sandbox';
    return { type: 'failed', failure: { kind: 'limit', message, line: null } };
  }
}

import type { ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { forkConfined } from '../../infra/runtime/confined-child.ts';
import { OUT_OF_CPU } from './out-of-cpu.ts';
import type { CallError, CodeFailure, SandboxLimits, SandboxMessage, WorkerMessage } from './messages.ts';

/** Code to execute, and what it can reach. */
export interface SandboxJob {
  /** Who shares the processes with others. */
  owner: string;
  /** The body of an async function of `context`, `platform`, and `console`. */
  source: string;
  /** JSON. */
  context: string;
  /** Processor time of the code itself, without reading the context. Default: the limit of the process. */
  cpuMs?: number;
  /** Ends the execution. */
  signal: AbortSignal;
  log(line: string): void;
  /** A host call. Resolves to JSON; a rejection becomes the error that `toCallError` makes of it. */
  call(action: string, json: string): Promise<string>;
  toCallError(error: unknown): CallError;
}

/** The code failed. */
export class CodeFailed extends Error {
  override name = 'CodeFailed';

  constructor(readonly failure: CodeFailure) {
    super(failure.line === null ? failure.message : `${failure.message} (line ${failure.line})`);
  }
}

/** How much longer than the code a slice can take: reading messages, and built-ins that cannot be interrupted. */
const SLICE_GRACE_MS = 2_000;
/** MB of the heap of Node.js in a sandbox process, which holds messages only. */
const HEAP_MB = 192;

/** Others are sent behind executions that took less, and waited for nothing. */
const QUICK_MS = 20;

/**
 * `json`: the output; null if there is none. `stuck`: the code has not ended, and nothing can continue it. `returned`: the code
 * has had no effect, and can run elsewhere.
 */
export type ExecutionResult =
  { type: 'done'; json: string | null } | { type: 'stuck' } | { type: 'returned' };

/** What an execution does with its place while it waits for its calls. */
export interface Turn {
  /** The execution waits: a process that waits costs memory only. */
  pause(): void;
  /** Resolves when the execution may go on. */
  resume(): Promise<void>;
}

interface Execution {
  id: number;
  job: SandboxJob;
  turn: Turn | null;
  /** Since it waited last. */
  resumed: Promise<boolean> | null;
  /** No other execution is sent behind it. */
  isAlone: boolean;
  resolve: (result: ExecutionResult) => void;
  reject: (error: unknown) => void;
  openSlices: number;
  hasCalled: boolean;
  /** Nobody waits for its result. */
  isAbandoned: boolean;
}

/**
 * A process that executes code, one execution at a time. Short ones can be sent ahead: what starts behind another one that
 * waits, takes long, or ends the process is returned.
 */
export class SandboxProcess {
  /** Resolves when the process accepts an execution; rejects if it ends before. */
  readonly ready: Promise<void>;
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>;
  private readonly child: ChildProcess;
  /** In the order in which the process runs them; the first one runs, or is about to. */
  private queue: Execution[] = [];
  private unsent: Execution[] = [];
  /** When the first one of the queue became the first one. */
  private since = 0;
  /** The owner of the last execution, if it was short. */
  private quickOwner: string | null = null;
  private watchdog: NodeJS.Timeout | null = null;
  private executions = 0;
  private isAlive = true;
  private markReady: () => void = () => undefined;

  constructor(
    private readonly limits: SandboxLimits,
    /** After how long a slice is ended from outside. */
    private readonly sliceMs = limits.sliceMs + SLICE_GRACE_MS,
  ) {
    this.child = forkChild(limits);
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    this.ended = ended;
    this.ready = new Promise((resolve, reject) => {
      this.markReady = resolve;
      void ended.then(() => reject(new Error('A sandbox process ended before it was ready')));
    });
    // The pool learns of it by `ended` as well.
    this.ready.catch(() => undefined);
    this.child.on('message', (message: SandboxMessage) => {
      try {
        this.receive(message);
      } catch {
        // Only a process that has been taken over sends what no message is.
        this.kill();
      }
    });
    this.child.on('error', () => this.kill());
    this.child.on('exit', (_code, signal) => {
      this.isAlive = false;
      this.endAll(signal === OUT_OF_CPU ? this.outOfCpu() : endedUnexpectedly());
      end();
    });
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /** Whether the process can take another execution. */
  get isReusable(): boolean {
    return this.isAlive && this.executions < this.limits.executions;
  }

  /** Whether the process has been ended, by code or from outside. */
  get hasEnded(): boolean {
    return !this.isAlive;
  }

  /** Whether an execution of the owner can be sent behind those that have not ended: it will not wait for long. */
  canTakeAhead(owner: string): boolean {
    return this.isReusable && this.quickOwner === owner && !this.queue.some(({ isAlone }) => isAlone);
  }

  /** Throws `CodeFailed`, or the reason of the signal. */
  async run(job: SandboxJob, isAlone = false, turn: Turn | null = null): Promise<ExecutionResult> {
    job.signal.throwIfAborted();
    if (!this.isAlive) return { type: 'returned' };
    const id = ++this.executions;
    const { promise, resolve, reject } = Promise.withResolvers<ExecutionResult>();
    const state = { openSlices: 1, hasCalled: false, isAbandoned: false, resumed: null };
    const execution: Execution = { id, job, turn, isAlone, resolve, reject, ...state };
    const abort = () => this.abandon(execution, job.signal.reason);
    job.signal.addEventListener('abort', abort, { once: true });
    this.queue.push(execution);
    if (this.queue.length === 1) {
      this.holdWorker(true);
      this.since = performance.now();
    }
    // What is started in the same moment is one message.
    if (this.unsent.length === 0) process.nextTick(() => this.sendStarts());
    this.unsent.push(execution);
    return promise.finally(() => job.signal.removeEventListener('abort', abort));
  }

  /** Tells the process that its worker is alive. */
  ping(): void {
    if (this.isAlive) this.post({ type: 'ping' });
  }

  kill(): void {
    this.isAlive = false;
    // Its end is waited for.
    this.child.ref();
    this.child.kill('SIGKILL');
  }

  private receive(message: SandboxMessage): void {
    switch (message.type) {
      case 'ready': {
        this.holdWorker(false);
        this.markReady();
        return;
      }
      case 'log':
        for (const line of message.lines) this.queue[0]?.job.log(line);
        return;
      case 'call':
        return void this.answer(message.id, message.action, message.json);
      case 'waiting': {
        const [execution] = this.queue;
        this.quickOwner = null;
        if (execution !== undefined) this.endSlice(execution);
        return;
      }
      case 'returned': {
        this.quickOwner = null;
        const ids = new Set(message.executions);
        this.giveBack(this.queue.filter(({ id }) => ids.has(id)));
        return;
      }
      case 'done':
      case 'stuck':
      case 'failed': {
        const execution = this.take();
        if (message.isLast) {
          this.isAlive = false;
          this.giveBack(this.queue);
        }
        if (message.type === 'failed') execution?.reject(new CodeFailed(message.failure));
        else execution?.resolve(message);
      }
    }
  }

  /** Answers a host call, unless its execution has ended meanwhile. */
  private async answer(id: number, action: string, json: string): Promise<void> {
    const [execution] = this.queue;
    if (execution === undefined || execution.isAbandoned) return;
    execution.hasCalled = true;
    const { job } = execution;
    const result = await job.call(action, json).then(
      (value) => ({ type: 'result' as const, json: value }),
      (error: unknown) => ({ type: 'error' as const, error: job.toCallError(error) }),
    );
    if (this.queue[0] !== execution || !(await this.mayGoOn(execution))) return;
    if (this.queue[0] !== execution) return;
    execution.openSlices++;
    this.watch();
    this.post({ ...result, execution: execution.id, id });
  }

  private endSlice(execution: Execution): void {
    execution.openSlices--;
    this.watch();
    if (execution.openSlices > 0) return;
    execution.resumed = null;
    execution.turn?.pause();
  }

  /** Waits for the turn of an execution that waits. Returns false if it will not come: the execution is being stopped. */
  private mayGoOn(execution: Execution): Promise<boolean> | true {
    if (execution.turn === null) return true;
    if (execution.openSlices === 0) {
      execution.resumed ??= execution.turn.resume().then(
        () => true,
        () => false,
      );
    }
    return execution.resumed ?? true;
  }

  /** An execution that runs ends with its process. One that has not begun is forgotten, unless it begins. */
  private abandon(execution: Execution, reason: unknown): void {
    execution.reject(reason);
    if (this.queue[0] !== execution) {
      execution.isAbandoned = true;
      return;
    }
    this.kill();
    this.take();
    this.giveBack(this.queue);
  }

  /** When the process has ended by itself: its executions end, or can run elsewhere. */
  private endAll(failure: CodeFailure): void {
    const [first, ...others] = this.queue;
    if (first === undefined) return;
    // Another one may have begun, and ended the process: alone, they tell. What has made calls cannot run again.
    const isKnown = others.length === 0 || first.hasCalled;
    if (isKnown) this.take()?.reject(new CodeFailed(failure));
    this.giveBack(this.queue);
  }

  private giveBack(executions: readonly Execution[]): void {
    if (executions.length === 0) return;
    this.queue = this.queue.filter((execution) => !executions.includes(execution));
    for (const { resolve } of executions) resolve({ type: 'returned' });
    this.watch();
    if (this.queue.length === 0) this.holdWorker(false);
  }

  /** Removes the execution that has ended. */
  private take(): Execution | null {
    const execution = this.queue.shift();
    if (execution === undefined) return null;
    const now = performance.now();
    const isQuick = now - this.since < QUICK_MS && !execution.hasCalled;
    this.quickOwner = isQuick ? execution.job.owner : null;
    this.since = now;
    this.watch();
    if (this.queue.length === 0) this.holdWorker(false);
    else if (this.queue[0]?.isAbandoned) {
      // It may have begun.
      this.kill();
      this.giveBack(this.queue);
    }
    return execution;
  }

  /** Whether the worker has to live on for this process: an idle one must not keep it from ending. */
  private holdWorker(isHeld: boolean): void {
    if (isHeld) {
      this.child.ref();
      this.child.channel?.ref();
    } else {
      this.child.unref();
      this.child.channel?.unref();
    }
  }

  private sendStarts(): void {
    const executions = this.unsent
      .filter((execution) => this.queue.includes(execution))
      .map(({ id, job: { source, context, cpuMs } }) => ({ id, source, context, ...(cpuMs && { cpuMs }) }));
    this.unsent = [];
    if (executions.length === 0 || !this.isAlive) return;
    this.watch();
    this.post({ type: 'start', executions });
  }

  private post(message: WorkerMessage): void {
    // A process that has just ended is noticed by its exit.
    this.child.send(message, () => undefined);
  }

  /** Kills the process from outside if a slice does not end. */
  private watch(): void {
    if (this.watchdog) clearTimeout(this.watchdog);
    const isRunning = this.isAlive && (this.queue[0]?.openSlices ?? 0) > 0;
    this.watchdog = isRunning ? setTimeout(() => this.overrun(), this.sliceMs) : null;
  }

  private outOfCpu(): CodeFailure {
    const message = `The code used more than ${this.limits.cpuMs / 1000} s of processor time`;
    return { kind: 'limit', message, line: null };
  }

  private overrun(): void {
    const message = `The code ran for more than ${this.sliceMs / 1000} s at a time`;
    this.kill();
    this.take()?.reject(new CodeFailed({ kind: 'limit', message, line: null }));
    this.giveBack(this.queue);
  }
}

function endedUnexpectedly(): CodeFailure {
  return { kind: 'limit', message: 'The sandbox process of the code ended unexpectedly', line: null };
}

function forkChild(limits: SandboxLimits): ChildProcess {
  return forkConfined(import.meta.url, 'child', {
    settings: limits,
    readable: [fileURLToPath(new URL('./', import.meta.url)), ...quickJsFolders()],
    heapMb: HEAP_MB,
    serialization: 'json',
  });
}

/** The folders of the packages that make up QuickJS. */
function quickJsFolders(): string[] {
  const main = createRequire(import.meta.url).resolve('quickjs-emscripten');
  const { resolve } = createRequire(main);
  const core = packageFolder(resolve('quickjs-emscripten-core'), 'quickjs-emscripten-core');
  // The main package imports several of them, to choose from.
  const builds = packageFolder(resolve('@jitl/quickjs-ffi-types'), '@jitl');
  return [packageFolder(main, 'quickjs-emscripten'), core, builds];
}

/** The folder of the package, or scope, that has a file. */
function packageFolder(file: string, name: string): string {
  const folder = join(sep, 'node_modules', name, sep);
  return file.slice(0, file.lastIndexOf(folder) + folder.length);
}

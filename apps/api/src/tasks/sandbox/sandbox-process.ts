import { fork, type ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, extname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CallError, CodeFailure, SandboxLimits, SandboxMessage, WorkerMessage } from './messages.ts';

/** Code to execute, and what it can reach. */
export interface SandboxJob {
  /** Who shares the processes with others. */
  owner: string;
  /** The body of an async function of `context`, `platform`, and `console`. */
  source: string;
  /** JSON. */
  context: string;
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

/** `json`: the output; null if there is none. `stuck`: the code has not ended, and nothing can continue it. */
export type ExecutionResult = { type: 'done'; json: string | null } | { type: 'stuck' };

interface Execution {
  job: SandboxJob;
  resolve(result: ExecutionResult): void;
  reject(error: unknown): void;
}

/** A process that executes code, one execution at a time. */
export class SandboxProcess {
  /** Resolves when the process accepts an execution; rejects if it ends before. */
  readonly ready: Promise<void>;
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>;
  private readonly child: ChildProcess;
  private execution: Execution | null = null;
  private openSlices = 0;
  private watchdog: NodeJS.Timeout | null = null;
  private executions = 0;
  private isAlive = true;
  private markReady: () => void = () => undefined;

  constructor(
    private readonly limits: SandboxLimits,
    /** After how long a slice is ended from outside. */
    private readonly sliceMs = limits.silenceMs + SLICE_GRACE_MS,
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
    this.child.on('exit', () => {
      this.isAlive = false;
      this.fail(endedUnexpectedly());
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

  /** Throws `CodeFailed`, or the reason of the signal. */
  async run(job: SandboxJob): Promise<ExecutionResult> {
    job.signal.throwIfAborted();
    if (!this.isAlive) throw new CodeFailed(endedUnexpectedly());
    this.executions++;
    const { promise, resolve, reject } = Promise.withResolvers<ExecutionResult>();
    this.execution = { job, resolve, reject };
    const abort = () => this.stop(job.signal.reason);
    job.signal.addEventListener('abort', abort, { once: true });
    this.holdWorker(true);
    this.send({ type: 'start', source: job.source, context: job.context });
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
        for (const line of message.lines) this.execution?.job.log(line);
        return;
      case 'call':
        return void this.answer(message.id, message.action, message.json);
      case 'waiting': {
        this.endSlice();
        return;
      }
      case 'done':
      case 'stuck':
      case 'failed':
        this.endSlice();
        if (message.isLast) this.isAlive = false;
        if (message.type === 'failed') this.fail(message.failure);
        else this.take()?.resolve(message);
    }
  }

  /** Answers a host call, unless its execution has ended meanwhile. */
  private async answer(id: number, action: string, json: string): Promise<void> {
    const { execution } = this;
    if (execution === null) return;
    const { job } = execution;
    const result = await job.call(action, json).then(
      (value): WorkerMessage => ({ type: 'result', id, json: value }),
      (error: unknown): WorkerMessage => ({ type: 'error', id, error: job.toCallError(error) }),
    );
    if (this.execution === execution) this.send(result);
  }

  private stop(reason: unknown): void {
    this.kill();
    this.take()?.reject(reason);
  }

  private fail(failure: CodeFailure): void {
    this.take()?.reject(new CodeFailed(failure));
  }

  private take(): Execution | null {
    const { execution } = this;
    this.execution = null;
    if (this.watchdog) clearTimeout(this.watchdog);
    this.watchdog = null;
    this.openSlices = 0;
    this.holdWorker(false);
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

  private send(message: WorkerMessage): void {
    this.openSlices++;
    this.watch();
    this.post(message);
  }

  private post(message: WorkerMessage): void {
    // A process that has just ended is noticed by its exit.
    this.child.send(message, () => undefined);
  }

  private endSlice(): void {
    this.openSlices--;
    this.watch();
  }

  /** Kills the process from outside if a slice does not end. */
  private watch(): void {
    if (this.watchdog) clearTimeout(this.watchdog);
    this.watchdog = this.openSlices > 0 ? setTimeout(() => this.overrun(), this.sliceMs) : null;
  }

  private overrun(): void {
    const message = `The code ran for more than ${this.sliceMs / 1000} s at a time`;
    this.fail({ kind: 'limit', message, line: null });
    this.kill();
  }
}

function endedUnexpectedly(): CodeFailure {
  return { kind: 'limit', message: 'The sandbox process of the code ended unexpectedly', line: null };
}

/** Starts the program beside this file, which is TypeScript exactly if this file is. */
function forkChild(limits: SandboxLimits): ChildProcess {
  const here = fileURLToPath(import.meta.url);
  const folder = dirname(here);
  const readable = [folder + sep, ...quickJsFolders()].map((path) => `--allow-fs-read=${path}`);
  return fork(join(folder, `child${extname(here)}`), [JSON.stringify(limits)], {
    env: {},
    execArgv: ['--permission', '--allow-worker', ...readable, `--max-old-space-size=${HEAP_MB}`],
    serialization: 'json',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
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

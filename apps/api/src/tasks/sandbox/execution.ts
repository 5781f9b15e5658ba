import type { QuickJSContext, QuickJSHandle } from 'quickjs-emscripten';
import type { Interpreter, InterpreterHost } from './interpreter.ts';
import type { CallError, CodeFailure, SandboxLimits } from './messages.ts';

// Node.js runs this file in a process of its own, without compiling it: only types that can be removed are allowed.

const SOURCE_NAME = 'source.js';
/** How many queued jobs run before the limits are checked. */
const JOBS = 500;
/** Log lines are sent together, once they have so many characters, or at the next check of the limits after so long. */
const LOG_CHUNK = 8_192;
const LOG_MS = 250;

/** Begins the message of what is no error. */
const THREW = 'The code threw';

/** What an execution does to the outside. */
export interface ExecutionHost {
  log(lines: string[]): void;
  call(id: number, action: string, json: string): void;
}

export type ExecutionState =
  | { type: 'waiting' }
  | { type: 'stuck' }
  | { type: 'done'; json: string | null }
  | { type: 'failed'; failure: CodeFailure };

/** One execution of code. Nothing else may use the interpreter until it is reset. */
export class Execution implements InterpreterHost {
  private readonly limits: SandboxLimits;
  private readonly vm: QuickJSContext;
  private readonly interpreter: Interpreter;
  private readonly host: ExecutionHost;
  private finished: ExecutionState | null = null;
  private exceeded: string | null = null;
  private usedMs = 0;
  /** Of processor time. */
  private limitMs: number;
  private readonly ownMs: number | null;
  private sliceStart = { cpu: 0, wall: 0 };
  private lines: string[] = [];
  private unsent = 0;
  private unsentSince = 0;
  private logBytes = 0;
  private calls = 0;
  private openCalls = 0;
  private callBytes = 0;

  /** `cpuMs`: what the code can use of processor time, if that is less than the limit of the process. */
  constructor(interpreter: Interpreter, host: ExecutionHost, cpuMs: number | null = null) {
    this.interpreter = interpreter;
    this.limits = interpreter.limits;
    this.vm = interpreter.vm;
    this.host = host;
    this.limitMs = this.limits.cpuMs;
    this.ownMs = cpuMs;
    interpreter.host = this;
  }

  /** Runs the code until it ends or waits for a host call. */
  start(source: string, context: string): ExecutionState {
    return this.slice(() => {
      const { vm } = this;
      // On the first line of the source, so that its lines keep their numbers.
      const main = vm.evalCode(`(async function (context, platform, console) {${source}\n})`, SOURCE_NAME);
      if (main.error) {
        this.failToParse(this.dump(main.error), source);
        return;
      }
      const argument = vm.newString(context);
      this.finish(vm.callFunction(this.interpreter.start, vm.undefined, main.value, argument));
    });
  }

  /** Continues the code after a host call. */
  resume(id: number, result: { json: string } | { error: CallError }): ExecutionState {
    this.openCalls--;
    return this.slice(() => {
      const { vm } = this;
      const error = 'error' in result ? vm.newString(JSON.stringify(result.error)) : vm.null;
      const json = 'json' in result ? vm.newString(result.json) : vm.null;
      this.finish(vm.callFunction(this.interpreter.settle, vm.undefined, vm.newNumber(id), error, json));
      error.dispose();
      json.dispose();
    });
  }

  private slice(work: () => void): ExecutionState {
    this.sliceStart = { cpu: threadCpuMs(), wall: performance.now() };
    work();
    while (this.finished === null && !this.isExceeded()) {
      const ran = this.vm.runtime.executePendingJobs(JOBS);
      if (ran.error) this.failWith(this.dump(ran.error));
      else if (ran.value === 0) break;
    }
    this.flushLog();
    if (this.exceeded !== null) return failed('limit', this.exceeded, null);
    if (this.finished !== null) return this.finished;
    this.usedMs = this.countUsed();
    if (this.openCalls > 0) return { type: 'waiting' };
    // QuickJS forgets what waits if there is no memory for what would continue it.
    return this.interpreter.hasRunOut ? this.outOfMemory(null) : { type: 'stuck' };
  }

  /** Whether the code has used too much processor time, or has not paused for too long. Often called while it runs. */
  isExceeded(): boolean {
    const { limitMs, ownMs } = this;
    const { sliceMs } = this.limits;
    const now = performance.now();
    const wallMs = now - this.sliceStart.wall;
    if (this.lines.length > 0 && now - this.unsentSince > LOG_MS) this.flushLog();
    // A system call, which most code is too short for: processor time passes no faster than time.
    if (this.usedMs + wallMs > limitMs && this.countUsed() > limitMs) {
      this.exceeded ??= `The code used more than ${(ownMs ?? limitMs) / 1000} s of processor time`;
    } else if (wallMs > sliceMs) {
      this.exceeded ??= `The code ran for more than ${sliceMs / 1000} s at a time`;
    }
    return this.exceeded !== null;
  }

  /** What reading the context takes depends on its size, and does not count. */
  begin(): void {
    if (this.ownMs !== null) this.limitMs = Math.min(this.limits.cpuMs, this.countUsed() + this.ownMs);
  }

  log(text: QuickJSHandle): void {
    if (this.logBytes >= this.limits.logBytes) return;
    const line = this.vm.getString(text);
    this.logBytes += Buffer.byteLength(line) + 1;
    this.unsent += line.length;
    if (this.lines.length === 0) this.unsentSince = performance.now();
    this.lines.push(line);
    if (this.unsent >= LOG_CHUNK) this.flushLog();
  }

  call(id: QuickJSHandle, action: QuickJSHandle, json: QuickJSHandle): void {
    const { calls, openCalls, callBytes } = this.limits;
    if (this.calls >= calls) throw new Error(`The code has made ${calls} calls, which is the most`);
    if (this.openCalls >= openCalls) {
      throw new Error(`The code waits for ${openCalls} calls, which is the most at a time`);
    }
    const request = this.readText(json) ?? 'null';
    this.callBytes += request.length;
    if (this.callBytes > callBytes) throw new Error(`The calls of the code have at most ${callBytes} bytes`);
    this.calls++;
    this.openCalls++;
    this.host.call(this.vm.getNumber(id), this.vm.getString(action), request);
  }

  end(succeeded: QuickJSHandle, text: QuickJSHandle, stack: QuickJSHandle | undefined): void {
    if (this.vm.dump(succeeded) === true) this.finished ??= { type: 'done', json: this.readText(text) };
    else this.failWith({ message: this.readText(text), stack: this.readText(stack) });
  }

  /** Milliseconds of processor time since the execution began, while it runs. */
  private countUsed(): number {
    return this.usedMs + threadCpuMs() - this.sliceStart.cpu;
  }

  private readText(handle: QuickJSHandle | undefined): string | null {
    return handle !== undefined && this.vm.typeof(handle) === 'string' ? this.vm.getString(handle) : null;
  }

  private failToParse(error: unknown, source: string): void {
    const { message, stack } = toFailure(error);
    const lines = source.split('\n').length;
    // What is missing is noticed behind the source.
    this.finished = failed('syntax', message, Math.min(lineOf(stack) ?? lines, lines));
  }

  private failWith(error: unknown): void {
    const { message, stack } = toFailure(error);
    // QuickJS throws null if there is no memory for an error, either, and code can throw that again.
    const isVague = this.interpreter.hasRunOut && message.startsWith(THREW);
    if (error === null || isVague || message.endsWith('out of memory')) {
      this.finished ??= this.outOfMemory(lineOf(stack));
    } else {
      const text = message.endsWith('stack overflow') ? 'The code calls itself too deeply' : message;
      this.finished ??= failed('error', text, lineOf(stack));
    }
  }

  private outOfMemory(line: number | null): ExecutionState {
    const { memoryBytes } = this.limits;
    return failed('limit', `The code used more than ${memoryBytes / 1024 / 1024} MB of memory`, line);
  }

  /** Fails if the call has thrown. */
  private finish(result: ReturnType<QuickJSContext['callFunction']>): void {
    if (result.error) this.failWith(this.dump(result.error));
    else result.value.dispose();
  }

  private flushLog(): void {
    if (this.lines.length > 0) this.host.log(this.lines);
    this.lines = [];
    this.unsent = 0;
  }

  private dump(error: QuickJSHandle): unknown {
    const dumped: unknown = this.vm.dump(error);
    error.dispose();
    return dumped;
  }
}

function failed(kind: CodeFailure['kind'], message: string, line: number | null): ExecutionState {
  return { type: 'failed', failure: { kind, message, line } };
}

function toFailure(error: unknown): { message: string; stack: string } {
  const { name, message, stack } = (error ?? {}) as { name?: unknown; message?: unknown; stack?: unknown };
  const text = typeof message === 'string' ? message : THREW;
  return {
    message: typeof name === 'string' ? `${name}: ${text}` : text,
    stack: typeof stack === 'string' ? stack : '',
  };
}

/** The first line of the source that a stack names. */
function lineOf(stack: string): number | null {
  const found = /\bsource\.js:(\d{1,9})/.exec(stack);
  return found === null ? null : Number(found[1]);
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

import type { QuickJSContext, QuickJSHandle, QuickJSWASMModule } from 'quickjs-emscripten';
import type { SandboxLimits } from './messages.ts';
import { callBuiltin } from './builtins.ts';
import { localize } from './localization.ts';
import { preludeOf } from './prelude.ts';

// Node.js runs this file in a process of its own, without compiling it: only types that can be removed are allowed.

const PAGE = 65_536;
const UNUSED = Buffer.alloc(PAGE);
/** Of QuickJS itself. No gap in its static data or its heap is half as long. */
const STACK = 5_242_880;
/** What QuickJS asks for at first, and what it needs itself: its static data, its stack, and the built-ins. */
const FIRST_BYTES = 16 * 1024 * 1024;
const OWN_BYTES = 8 * 1024 * 1024;

/** What the code does to the outside, and when it has to stop. */
export interface InterpreterHost {
  /** The context is read, and the code is about to run. */
  begin(): void;
  log(text: QuickJSHandle): void;
  call(id: QuickJSHandle, action: QuickJSHandle, json: QuickJSHandle): void;
  end(succeeded: QuickJSHandle, text: QuickJSHandle, stack: QuickJSHandle | undefined): void;
  isExceeded(): boolean;
}

/** What the code calls by the name of a host function. */
type HostFunction = (...args: QuickJSHandle[]) => QuickJSHandle | void;

/**
 * Returns the memory of an interpreter, which bounds what the code can use. The limit of QuickJS does not: in WebAssembly it
 * counts how many values there are, not how large they are.
 */
export function createMemory({ memoryBytes }: SandboxLimits): WebAssembly.Memory {
  const maximum = Math.ceil((memoryBytes + OWN_BYTES) / PAGE);
  return new WebAssembly.Memory({ initial: FIRST_BYTES / PAGE, maximum });
}

/**
 * QuickJS with one context, in which the prelude has run. `reset` restores the memory of that moment, which is many times
 * faster than a new context: every execution starts from the same bytes, whatever the one before did.
 */
export class Interpreter {
  readonly limits: SandboxLimits;
  readonly vm: QuickJSContext;
  /** Of the prelude. */
  readonly start: QuickJSHandle;
  readonly settle: QuickJSHandle;
  /** The execution that runs. */
  host: InterpreterHost | null = null;
  /** Whether the execution has asked for more memory than there is. QuickJS may have none left to say so. */
  hasRunOut = false;
  private readonly memory: WebAssembly.Memory;
  private readonly pristine: Piece[];

  constructor(quickJs: QuickJSWASMModule, limits: SandboxLimits) {
    this.limits = limits;
    const runtime = quickJs.newRuntime();
    runtime.setMemoryLimit(limits.memoryBytes);
    runtime.setMaxStackSize(limits.stackBytes);
    runtime.setInterruptHandler(() => this.host?.isExceeded() ?? false);
    const vm = (this.vm = runtime.newContext());
    const prelude = vm.unwrapResult(vm.evalCode(preludeOf(limits), 'platform.js'));
    const hosts = vm.newObject();
    const define = (name: string, call: HostFunction) => vm.setProp(hosts, name, vm.newFunction(name, call));
    define('log', (text) => this.host?.log(text));
    define('call', (id, action, json) => this.host?.call(id, action, json));
    define('begin', () => this.host?.begin());
    define('finish', (succeeded, text, stack) => this.host?.end(succeeded, text, stack));
    // That of QuickJS starts from a seed in its memory, which is the same for every execution.
    define('random', () => vm.newNumber(Math.random()));
    define('localize', (request) => vm.newString(localize(vm.getString(request))));
    define('builtin', (request, ...buffers) => this.callBuiltin(request, buffers));
    define('checkTime', () => this.checkTime());
    const inner = vm.unwrapResult(vm.callFunction(prelude, vm.undefined, hosts));
    this.start = vm.getProp(inner, 'start');
    this.settle = vm.getProp(inner, 'settle');
    this.memory = quickJs.getWasmMemory();
    this.noticeLimit();
    this.pristine = copyUsed(this.memory.buffer);
  }

  /**
   * Forgets the last execution. Its handles must not be used any more, not even to free them. What is not restored are the
   * stack, of which nothing is in use, and memory that the allocator has not handed out yet.
   */
  reset(): void {
    this.host = null;
    this.hasRunOut = false;
    // The memory has another buffer once it has grown.
    const memory = new Uint8Array(this.memory.buffer);
    for (const { at, bytes } of this.pristine) memory.set(bytes, at);
  }

  /** QuickJS looks at the time every 10,000 steps of the code, and a step that calls the host may take milliseconds. */
  private checkTime(): void {
    if (this.host?.isExceeded()) throw new Error('The code has used too much time');
  }

  private callBuiltin(request: QuickJSHandle, buffers: readonly QuickJSHandle[]): QuickJSHandle {
    const { vm } = this;
    const given = buffers
      .filter((buffer) => vm.typeof(buffer) === 'object')
      .map((buffer) => vm.getArrayBuffer(buffer).consume(({ value }) => value.slice()));
    const result = callBuiltin(vm.getString(request), given);
    return typeof result === 'string'
      ? vm.newString(result)
      : vm.newArrayBuffer(Uint8Array.from(result).buffer);
  }

  private noticeLimit(): void {
    const grow = this.memory.grow.bind(this.memory);
    this.memory.grow = (pages) => {
      try {
        return grow(pages);
      } catch (error) {
        this.hasRunOut = true;
        throw error;
      }
    };
  }
}

/** A part of the memory. */
interface Piece {
  at: number;
  bytes: Uint8Array;
}

/** Copies what is in use: all but the empty stack, 5 MB between the static data and the heap, and what is behind the heap. */
function copyUsed(buffer: ArrayBufferLike): Piece[] {
  const pieces: { at: number; end: number }[] = [];
  for (let at = 0; at < buffer.byteLength; at += PAGE) {
    if (UNUSED.equals(new Uint8Array(buffer, at, PAGE))) continue;
    const last = pieces.at(-1);
    if (last !== undefined && at - last.end < STACK / 2) last.end = at + PAGE;
    else pieces.push({ at, end: at + PAGE });
  }
  return pieces.map(({ at, end }) => ({ at, bytes: new Uint8Array(buffer).slice(at, end) }));
}

import type { LocalToolResultRequest, ProductEvent, ProductEventFields } from '@platform/contracts';
import { passAbortOn } from './abort.ts';
import { PlatformError } from './errors.ts';
import type { Retry } from './retry.ts';

export type LocalToolCall = ProductEventFields['local.tool.call'];

export interface LocalToolContext {
  /** Aborted when nobody waits for the result any more. */
  signal: AbortSignal;
  callId: string;
}

/** A tool of the host application that agents may call. */
export interface LocalTool {
  /** Its result, any JSON value, goes to the model; what it throws goes there as an error. */
  execute(args: Record<string, unknown>, context: LocalToolContext): unknown;
  /** Asked before each call; anything but true denies it. A tool without it cannot be registered. */
  authorize(call: LocalToolCall, context: LocalToolContext): Authorization | Promise<Authorization>;
}

export type Authorization = boolean | { denied: true; reason?: string };

export interface LocalToolOptions {
  /** Tools by the names under which the agent declares them. */
  localTools?: Record<string, LocalTool>;
  /** Told when a call came to nothing: another answer was first, it was too late, or it could not be delivered. */
  onLocalToolError?: (error: unknown, call: LocalToolCall) => void;
}

/** The turns as their own local tools see them. */
export interface LocalToolTurns {
  /** Whether the segment still runs: what a recorded one asked for was done long ago. */
  isRunning(turnId: string, segment: number): Promise<boolean>;
  answer(turnId: string, callId: string, result: LocalToolResultRequest): Promise<void>;
}

export interface LocalToolRunnerOptions extends LocalToolOptions {
  /** Aborted when the caller gives the stream up. */
  left?: AbortSignal;
  turns: LocalToolTurns;
  retry: Retry;
  /** The calls that this client has begun, whichever of its streams told them. */
  taken: Set<string>;
}

const MAX_TEXT = 10_000;

/** Runs the local tool calls of one stream, side by side, each once. */
export class LocalToolRunner {
  private readonly tools: Record<string, LocalTool>;
  private readonly turns: LocalToolTurns;
  private readonly retry: Retry;
  private readonly report: LocalToolOptions['onLocalToolError'];
  private readonly left: AbortSignal | undefined;
  private readonly over = new AbortController();
  private readonly taken: Set<string>;
  private readonly own = new Set<string>();
  private turnId = '';
  private segment = 1;

  /** Throws a TypeError for a tool that nobody authorizes. */
  constructor(options: LocalToolRunnerOptions) {
    this.tools = options.localTools ?? {};
    for (const [name, tool] of Object.entries(this.tools)) assertComplete(name, tool);
    this.turns = options.turns;
    this.taken = options.taken;
    this.retry = options.retry;
    this.report = options.onLocalToolError;
    this.left = options.left;
  }

  /** Takes the calls out of the stream's events. */
  watch(event: ProductEvent): void {
    if (event.event === 'session.started') {
      this.turnId = event.turnId;
      this.segment = event.segment;
    }
    if (event.event === 'local.tool.call') void this.take(event);
    if (event.event === 'stream.ended') {
      this.over.abort(new Error('The turn does not wait any more'));
      for (const key of this.own) this.taken.delete(key);
    }
  }

  private async take({ event: _, ...call }: { event: string } & LocalToolCall): Promise<void> {
    const tool = Object.hasOwn(this.tools, call.tool) ? this.tools[call.tool] : undefined;
    const key = `${this.turnId}/${call.callId}`;
    if (tool === undefined || this.taken.has(key)) return;
    this.taken.add(key);
    this.own.add(key);
    try {
      const isRunning = () => this.turns.isRunning(this.turnId, this.segment);
      if (!(await this.retry.insist(isRunning, this.over.signal))) return;
      const result = await this.resultOf(tool, call);
      if (!this.over.signal.aborted) await this.deliver(call.callId, result);
    } catch (error) {
      if (!this.over.signal.aborted) this.report?.(error, call);
    }
  }

  private async resultOf(tool: LocalTool, call: LocalToolCall): Promise<LocalToolResultRequest> {
    const late = new AbortController();
    const stopWatch = this.retry.timer.after(call.timeoutMs, () => {
      late.abort(new Error(`No result within ${call.timeoutMs} ms`));
    });
    const unlink = passAbortOn([this.over.signal, this.left], late);
    const { signal } = late;
    try {
      return await Promise.race([run(tool, call, signal), whenAborted(signal)]);
    } catch (error) {
      return { error: textOf(error) };
    } finally {
      stopWatch();
      unlink();
    }
  }

  private async deliver(callId: string, result: LocalToolResultRequest): Promise<void> {
    const send = (answer: LocalToolResultRequest) =>
      this.retry.insist(() => this.turns.answer(this.turnId, callId, answer), this.over.signal);
    try {
      await send(result);
    } catch (error) {
      // The model had better learn of a result that cannot travel than wait for it.
      const unfit = error instanceof PlatformError && [400, 413].includes(error.status);
      if (!unfit || !('result' in result)) throw error;
      await send({ error: textOf(error) });
    }
  }
}

async function run(
  tool: LocalTool,
  call: LocalToolCall,
  signal: AbortSignal,
): Promise<LocalToolResultRequest> {
  const context = { signal, callId: call.callId };
  signal.throwIfAborted();
  const asked = tool.authorize(call, context);
  // What is allowed at once starts at once, within the time that the call has.
  const verdict = asked instanceof Promise ? await asked : asked;
  if (verdict !== true) {
    const reason = verdict ? verdict.reason?.slice(0, MAX_TEXT) : undefined;
    return { denied: true, ...(reason !== undefined && { reason }) };
  }
  // A permission that comes too late must not start anything.
  signal.throwIfAborted();
  const result = await tool.execute(call.arguments, context);
  // What JSON cannot say, such as undefined, has no text.
  const json = JSON.stringify(result) as string | undefined;
  return { result: json === undefined ? null : result };
}

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = () => reject(signal.reason as Error);
    if (signal.aborted) fail();
    signal.addEventListener('abort', fail, { once: true });
  });
}

function textOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, MAX_TEXT) || 'The tool failed';
}

/** Also for callers without types: what nobody allows must not run. */
function assertComplete(name: string, tool: Partial<LocalTool>): void {
  if (typeof tool.execute !== 'function') throw new TypeError(`The local tool ${name} needs execute()`);
  if (typeof tool.authorize !== 'function')
    throw new TypeError(`The local tool ${name} needs authorize(): it says whether a call may run`);
}

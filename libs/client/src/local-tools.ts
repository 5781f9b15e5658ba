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
  /** Asked before each call; anything but true denies it. None: allowed by being registered. */
  authorize?(call: LocalToolCall, context: LocalToolContext): Authorization | Promise<Authorization>;
}

export type Authorization = boolean | { denied: true; reason?: string };

export interface LocalToolOptions {
  /** Tools by the names under which the agent declares them. */
  localTools?: Record<string, LocalTool>;
  /** Told when a call came to nothing: another answer was first, it was too late, or it could not be delivered. */
  onLocalToolError?: (error: unknown, call: LocalToolCall) => void;
}

/** The turn as its own local tools see it. */
export interface LocalToolTurn {
  /** Whether the segment still runs: what a recorded one asked for was done long ago. */
  isRunning(segment: number): Promise<boolean>;
  answer(callId: string, result: LocalToolResultRequest): Promise<void>;
}

const MAX_TEXT = 10_000;

/** Runs the local tool calls of one stream, side by side, each once. */
export class LocalToolRunner {
  private readonly tools: Record<string, LocalTool>;
  private readonly turn: LocalToolTurn;
  private readonly retry: Retry;
  private readonly report: LocalToolOptions['onLocalToolError'];
  private readonly left: AbortSignal | undefined;
  private readonly over = new AbortController();
  private readonly taken = new Set<string>();
  private segment = 1;

  /** `left` is aborted when the caller gives the stream up. */
  constructor(options: LocalToolOptions & { left?: AbortSignal; turn: LocalToolTurn; retry: Retry }) {
    this.tools = options.localTools ?? {};
    this.turn = options.turn;
    this.retry = options.retry;
    this.report = options.onLocalToolError;
    this.left = options.left;
  }

  /** Takes the calls out of the stream's events. */
  watch(event: ProductEvent): void {
    if (event.event === 'session.started') this.segment = event.segment;
    if (event.event === 'local.tool.call') void this.take(event);
    if (event.event === 'stream.ended') this.over.abort(new Error('The turn does not wait any more'));
  }

  private async take({ event: _, ...call }: { event: string } & LocalToolCall): Promise<void> {
    const tool = Object.hasOwn(this.tools, call.tool) ? this.tools[call.tool] : undefined;
    if (tool === undefined || this.taken.has(call.callId)) return;
    this.taken.add(call.callId);
    try {
      if (!(await this.retry.insist(() => this.turn.isRunning(this.segment), this.over.signal))) return;
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
      this.retry.insist(() => this.turn.answer(callId, answer), this.over.signal);
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
  const verdict = tool.authorize === undefined ? true : await tool.authorize(call, context);
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

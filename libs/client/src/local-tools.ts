import type { LocalToolResultRequest, ProductEvent, ProductEventFields } from '@platform/contracts';
import { forwardAbort } from './abort.ts';
import { PlatformError } from './errors.ts';
import type { Retry } from './retry.ts';

export type LocalToolCall = ProductEventFields['local.tool.call'];

export interface LocalToolContext {
  /** Aborted when the result is no longer needed. */
  signal: AbortSignal;
  callId: string;
}

/** A tool of the host application that agents can call. */
export interface LocalTool {
  /** Runs the tool. The model receives the returned JSON value, or the message of a thrown error. */
  execute(args: Record<string, unknown>, context: LocalToolContext): unknown;
  /** Decides before each call whether it can run. Any value other than true denies the call. */
  authorize(call: LocalToolCall, context: LocalToolContext): Authorization | Promise<Authorization>;
}

export type Authorization = boolean | { denied: true; reason?: string };

export interface LocalToolOptions {
  /** Tools by the names that the agent declares. */
  localTools?: Record<string, LocalTool> | undefined;
  /** Called if a result was not accepted (another one was first, or it was too late) or could not be delivered. */
  onLocalToolError?: ((error: unknown, call: LocalToolCall) => void) | undefined;
}

/** The operations on turns that local tools need. */
export interface LocalToolTurns {
  /** Whether the segment is still running. The calls of a recorded segment were completed long ago. */
  isRunning(turnId: string, segment: number): Promise<boolean>;
  sendResult(turnId: string, callId: string, result: LocalToolResultRequest): Promise<void>;
}

export interface LocalToolRunnerOptions extends LocalToolOptions {
  /** Aborted when the caller stops reading the stream. */
  signal?: AbortSignal | undefined;
  turns: LocalToolTurns;
  retry: Retry;
  /** Calls that have been started, over all streams of the client. */
  startedCalls: Set<string>;
}

const MAX_TEXT = 10_000;

/** Runs the local tool calls of one stream: concurrently, and each call once. */
export class LocalToolRunner {
  private readonly tools: Record<string, LocalTool>;
  private readonly turns: LocalToolTurns;
  private readonly retry: Retry;
  private readonly onError: LocalToolOptions['onLocalToolError'];
  private readonly callerSignal: AbortSignal | undefined;
  /** Aborted when the segment ends. */
  private readonly ended = new AbortController();
  private readonly startedCalls: Set<string>;
  private readonly callsOfStream = new Set<string>();
  private turnId = '';
  private segment = 1;

  /** Throws TypeError if a tool has no `execute` or no `authorize`. */
  constructor(options: LocalToolRunnerOptions) {
    this.tools = options.localTools ?? {};
    for (const [name, tool] of Object.entries(this.tools)) assertComplete(name, tool);
    this.turns = options.turns;
    this.startedCalls = options.startedCalls;
    this.retry = options.retry;
    this.onError = options.onLocalToolError;
    this.callerSignal = options.signal;
  }

  /** Starts the local tool calls among the events of the stream. */
  handle(event: ProductEvent): void {
    if (event.event === 'session.started') {
      this.turnId = event.turnId;
      this.segment = event.segment;
    }
    if (event.event === 'local.tool.call') void this.runCall(event);
    if (event.event === 'stream.ended') {
      this.ended.abort(new Error('The turn no longer waits for the result'));
      for (const key of this.callsOfStream) this.startedCalls.delete(key);
    }
  }

  private async runCall({ event: _, ...call }: { event: string } & LocalToolCall): Promise<void> {
    const tool = Object.hasOwn(this.tools, call.tool) ? this.tools[call.tool] : undefined;
    const key = `${this.turnId}/${call.callId}`;
    if (tool === undefined || this.startedCalls.has(key)) return;
    this.startedCalls.add(key);
    this.callsOfStream.add(key);
    try {
      const isRunning = () => this.turns.isRunning(this.turnId, this.segment);
      if (!(await this.retry.run(isRunning, this.ended.signal))) return;
      const result = await this.execute(tool, call);
      if (!this.ended.signal.aborted) await this.deliver(call.callId, result);
    } catch (error) {
      if (!this.ended.signal.aborted) this.onError?.(error, call);
    }
  }

  private async execute(tool: LocalTool, call: LocalToolCall): Promise<LocalToolResultRequest> {
    const controller = new AbortController();
    const stopTimer = this.retry.timer.after(call.timeoutMs, () => {
      controller.abort(new Error(`No result within ${call.timeoutMs} ms`));
    });
    const removeListeners = forwardAbort([this.ended.signal, this.callerSignal], controller);
    const { signal } = controller;
    try {
      return await Promise.race([authorizeAndExecute(tool, call, signal), rejectOnAbort(signal)]);
    } catch (error) {
      return { error: formatError(error) };
    } finally {
      stopTimer();
      removeListeners();
    }
  }

  private async deliver(callId: string, result: LocalToolResultRequest): Promise<void> {
    const send = (body: LocalToolResultRequest) =>
      this.retry.run(() => this.turns.sendResult(this.turnId, callId, body), this.ended.signal);
    try {
      await send(result);
    } catch (error) {
      // If the service rejects the result, the model receives the reason instead of waiting.
      const isRejected = error instanceof PlatformError && [400, 413].includes(error.status);
      if (!isRejected || !('result' in result)) throw error;
      await send({ error: formatError(error) });
    }
  }
}

async function authorizeAndExecute(
  tool: LocalTool,
  call: LocalToolCall,
  signal: AbortSignal,
): Promise<LocalToolResultRequest> {
  const context = { signal, callId: call.callId };
  signal.throwIfAborted();
  const authorization = tool.authorize(call, context);
  // A synchronous authorization must not delay the call.
  const verdict = authorization instanceof Promise ? await authorization : authorization;
  if (verdict !== true) {
    const reason = verdict ? verdict.reason?.slice(0, MAX_TEXT) : undefined;
    return { denied: true, ...(reason !== undefined && { reason }) };
  }
  // A late authorization must not start the call.
  signal.throwIfAborted();
  const result = await tool.execute(call.arguments, context);
  // `stringify` returns undefined for values that JSON cannot represent.
  const json = JSON.stringify(result) as string | undefined;
  return { result: json === undefined ? null : result };
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = () => reject(signal.reason as Error);
    if (signal.aborted) fail();
    signal.addEventListener('abort', fail, { once: true });
  });
}

function formatError(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, MAX_TEXT) || 'The tool failed';
}

/** A check at run time, for callers that do not use TypeScript. */
function assertComplete(name: string, tool: Partial<LocalTool>): void {
  if (typeof tool.execute !== 'function') throw new TypeError(`The local tool ${name} needs execute()`);
  if (typeof tool.authorize !== 'function')
    throw new TypeError(`The local tool ${name} needs authorize(), which decides whether a call can run`);
}

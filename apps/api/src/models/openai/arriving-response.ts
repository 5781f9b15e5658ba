import type { Dispatcher } from 'undici';
import { SocketHandler } from '../../infra/outgoing/socket-client.ts';

type Headers = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];

/** The most bytes that wait to be read; until then, no more are received. */
const MAX_WAITING = 64 * 1024;

/**
 * A response that is read while it arrives: each step of the iteration takes all bytes that are waiting. It is a handler of
 * the undici dispatcher, because the streams of undici cost more per token than the parsing of its text.
 */
export class ArrivingResponse
  extends SocketHandler
  implements Dispatcher.DispatchHandler, AsyncIterableIterator<Buffer, undefined>
{
  private readonly head = Promise.withResolvers<{ statusCode: number; headers: Headers }>();
  private controller: Dispatcher.DispatchController | null = null;
  private parts: Buffer[] = [];
  private size = 0;
  private ended = false;
  private failure: Error | null = null;
  private wake: (() => void) | null = null;

  /** `signal` aborts the call. */
  constructor(private readonly signal: AbortSignal) {
    super();
    signal.addEventListener('abort', this.abort, { once: true });
    if (signal.aborted) this.abort();
  }

  /** Resolves when the response begins. Rejects if there is none. */
  get started(): Promise<{ statusCode: number; headers: Headers }> {
    return this.head.promise;
  }

  /** Throws if the response broke off or was aborted. */
  async next(): Promise<IteratorResult<Buffer, undefined>> {
    if (this.size === 0 && !this.ended) await new Promise<void>((resolve) => (this.wake = resolve));
    if (this.size > 0) return { value: this.take(), done: false };
    if (this.failure) throw this.failure;
    return { value: undefined, done: true };
  }

  /** Receives nothing until `until` resolves: what arrives in the meantime is then read at once, which costs less. */
  async hold(until: Promise<void>): Promise<void> {
    const socket = this.ended ? null : this.socketOf();
    socket?.pause();
    await until.finally(() => socket?.resume());
  }

  /** Whoever leaves a loop early wants no more. */
  async return(): Promise<IteratorReturnResult<undefined>> {
    this.abort();
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  readonly abort = (): void => {
    this.parts = [];
    this.size = 0;
    // Without a connection there is no controller yet.
    this.failure ??= new Error('The call was aborted');
    if (!this.ended) this.controller?.abort(this.failure);
  };

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.failure) controller.abort(this.failure);
  }

  onResponseStart(_: Dispatcher.DispatchController, statusCode: number, headers: Headers): void {
    if (statusCode >= 200) this.head.resolve({ statusCode, headers });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.failure) return;
    this.parts.push(chunk);
    this.size += chunk.length;
    if (this.size >= MAX_WAITING) controller.pause();
    this.wakeReader();
  }

  onResponseEnd(): void {
    this.end();
  }

  onResponseError(_: Dispatcher.DispatchController, cause: Error): void {
    this.failure ??= cause;
    this.head.reject(this.failure);
    this.end();
  }

  private take(): Buffer {
    const { parts } = this;
    this.parts = [];
    this.size = 0;
    this.controller?.resume();
    return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
  }

  private end(): void {
    this.ended = true;
    this.signal.removeEventListener('abort', this.abort);
    this.wakeReader();
  }

  private wakeReader(): void {
    this.wake?.();
    this.wake = null;
  }
}

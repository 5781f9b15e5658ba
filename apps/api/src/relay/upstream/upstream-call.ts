import type { Response } from 'express';
import type { Dispatcher } from 'undici';
import { AppError } from '../../infra/errors/app-error.ts';
import { CallClock, type CallLimits } from '../../models/port/call-limits.ts';
import type { ModelUsage } from '../../models/port/model-provider.ts';
import { SecretByteMask, type Secrets } from '../../models/port/secrets.ts';
import { forwardLimits } from './limit-headers.ts';
import { ResponseTail } from './response-tail.ts';
import { guessCompletionTokens, findUsage } from './response-usage.ts';
import { SseSecrets } from './sse-secrets.ts';
import { SseUsage } from './sse-usage.ts';

export type UpstreamHeaders = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];

/** The model responded: completely, or until the connection broke or the caller disconnected. */
export interface CompletedCall {
  kind: 'completed';
  /** Null if the server reported none, or had not by the end. */
  usage: ModelUsage | null;
  streamed: boolean;
  tail: ResponseTail;
}

export interface RejectedCall {
  kind: 'rejected';
  status: number;
  headers: UpstreamHeaders;
  body: string;
}

/** The caller disconnected before anything was sent. */
export interface UnsentCall {
  kind: 'unsent';
}

/** A caller that reads nothing for this long is disconnected. */
const STALLED_MS = 60_000;
const MAX_ERROR_BYTES = 64 * 1024;
/** The most informational responses, such as 103, before the final one. */
const MAX_INFORMATIONAL = 16;
/** Enough for thousands of embeddings, but not for an endless response. */
const MAX_RESPONSE_BYTES = 256 * 1024 * 1024;
/** Begins the line of an event that says something; keep-alive comments lack it. */
const DATA = Buffer.from('data:');
const CLIENT_DISCONNECTED = new Error('The caller disconnected');

/**
 * A call of a model server whose response is forwarded while it arrives. It is a handler of the undici dispatcher, because
 * web streams cost more per token than the rest of the relay. A slow caller slows down the server.
 */
export class UpstreamCall implements Dispatcher.DispatchHandler {
  private readonly end = Promise.withResolvers<CompletedCall | RejectedCall | UnsentCall>();
  private readonly tail = new ResponseTail();
  private controller: Dispatcher.DispatchController | null = null;
  private events: SseUsage | null = null;
  private readonly clock: CallClock;
  private sent = false;
  private informational = 0;
  private rejection: Omit<RejectedCall, 'body' | 'kind'> | null = null;
  private readonly mask: SecretByteMask;
  private readonly eventMask: SseSecrets;

  /** `secrets` are masked in the response. `hideUsage` removes the chunk with the usage, which the caller did not request. */
  constructor(
    private readonly res: Response,
    private readonly secrets: { text: Secrets; bytes: Secrets },
    private readonly hideUsage: boolean,
    limits: CallLimits,
  ) {
    this.clock = new CallClock(limits);
    this.mask = new SecretByteMask(secrets.bytes);
    this.eventMask = new SseSecrets(secrets.text);
    res.once('close', this.abort);
  }

  /** Resolves when the call has ended. Rejects with UNAVAILABLE if there was no response. */
  get result(): Promise<CompletedCall | RejectedCall | UnsentCall> {
    return this.end.promise;
  }

  /** The approximate number of completion tokens so far. */
  get completionTokens(): number {
    if (this.rejection) return 0;
    return this.events?.usage?.completionTokens ?? guessCompletionTokens(this.tail, this.events !== null);
  }

  /** Whether the call continues when the caller has read what was sent. */
  get awaitsReader(): boolean {
    return this.res.writableNeedDrain;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.res.destroyed) controller.abort(CLIENT_DISCONNECTED);
    else this.sent = true;
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: UpstreamHeaders): void {
    if (status < 200) {
      // Each of them restarts the timeout for headers.
      if (++this.informational > MAX_INFORMATIONAL)
        controller.abort(new Error('Too many informational responses'));
      return;
    }
    if (status >= 300) {
      this.rejection = { status, headers };
      return;
    }
    const encoding = headers['content-encoding'] ?? 'identity';
    if (encoding !== 'identity') {
      controller.abort(new Error(`The response has the unrequested encoding ${String(encoding)}`));
      return;
    }
    const type = this.secrets.bytes.mask(String(headers['content-type'] ?? 'application/json'));
    if (type.startsWith('text/event-stream')) this.events = new SseUsage(this.hideUsage);
    // Headers and first bytes usually arrive together, and are sent together.
    const { socket } = this.res;
    socket?.cork();
    process.nextTick(() => socket?.uncork());
    forwardLimits(this.res, headers, this.secrets.bytes);
    this.res.writeHead(status, {
      'Content-Type': type,
      ...(this.events
        ? { 'Cache-Control': 'no-cache, no-transform', 'X-Accel-Buffering': 'no' }
        : headers['content-length'] !== undefined && { 'Content-Length': headers['content-length'] }),
    });
    this.res.flushHeaders();
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.res.destroyed) return;
    if (!this.events || chunk.includes(DATA)) this.clock.progress();
    const overrun = this.clock.overrun();
    if (overrun !== null) {
      controller.abort(new Error(overrun));
      return;
    }
    this.tail.push(chunk);
    if (this.rejection) {
      if (this.tail.total > MAX_ERROR_BYTES) controller.abort(new Error('The error response is too long'));
      return;
    }
    if (this.tail.total > MAX_RESPONSE_BYTES) {
      controller.abort(new Error('The response is too long'));
      return;
    }
    const bytes = this.mask.push(this.events ? this.eventMask.push(this.events.push(chunk)) : chunk);
    if (bytes.length > 0 && !this.res.write(bytes)) this.waitForReader(controller);
  }

  onResponseEnd(): void {
    if (this.rejection) this.finish();
    else {
      this.res.end(this.remainingBytes());
      this.finish();
    }
  }

  onResponseError(_: Dispatcher.DispatchController, cause: Error): void {
    if (this.rejection || cause === CLIENT_DISCONNECTED) this.finish();
    else if (this.res.headersSent) {
      // The caller gets the bytes that arrived; the broken connection shows that the response is incomplete.
      this.res.write(this.remainingBytes(), () => this.res.destroy());
      this.finish();
    } else {
      this.res.off('close', this.abort);
      const code = 'upstream_unreachable';
      this.end.reject(
        new AppError('UNAVAILABLE', "The model's server could not be reached or did not respond", {
          cause,
          openai: { code },
        }),
      );
    }
  }

  private remainingBytes(): Buffer {
    if (!this.events) return this.mask.end();
    const events = Buffer.concat([this.eventMask.push(this.events.end()), this.eventMask.end()]);
    return Buffer.concat([this.mask.push(events), this.mask.end()]);
  }

  private readonly abort = () => {
    this.controller?.abort(CLIENT_DISCONNECTED);
  };

  private finish(): void {
    this.res.off('close', this.abort);
    const { tail, events, rejection: refusal } = this;
    if (refusal) {
      this.end.resolve({ kind: 'rejected', ...refusal, body: tail.bytes().toString('utf8') });
    } else if (!this.sent) {
      this.end.resolve({ kind: 'unsent' });
    } else {
      // An event that is too long to be held is not parsed; its end may still contain the usage.
      const usage = events?.usage ?? findUsage(tail);
      this.end.resolve({ kind: 'completed', usage, streamed: events !== null, tail });
    }
  }

  private waitForReader(controller: Dispatcher.DispatchController): void {
    controller.pause();
    const stalled = setTimeout(() => this.res.destroy(), STALLED_MS);
    const resume = () => {
      clearTimeout(stalled);
      this.res.off('drain', resume).off('close', resume);
      this.clock.progress();
      if (!this.res.destroyed) controller.resume();
    };
    this.res.on('drain', resume).on('close', resume);
  }
}

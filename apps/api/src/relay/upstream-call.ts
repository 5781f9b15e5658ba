import type { Response } from 'express';
import type { Dispatcher } from 'undici';
import { AppError } from '../infra/http/app-error.ts';
import type { ModelUsage } from '../models/model-provider.ts';
import { SecretByteMask, type Secrets } from '../models/secrets.ts';
import { ResponseTail } from './answer-tail.ts';
import { guessCompletionTokens, findUsage } from './answer-usage.ts';
import { SseSecrets } from './sse-secrets.ts';
import { SseUsage } from './sse-usage.ts';

type UpstreamHeaders = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];

/** An answer began: it came whole, or broke off, or its reader left. */
export interface CompletedCall {
  kind: 'answered';
  /** Null: the server told none, or none as far as it came. */
  usage: ModelUsage | null;
  streamed: boolean;
  tail: ResponseTail;
}

export interface RejectedCall {
  kind: 'refused';
  status: number;
  headers: UpstreamHeaders;
  body: string;
}

/** The caller left before anything was sent. */
export interface UnsentCall {
  kind: 'unsent';
}

/** A reader that takes nothing for so long is cut off. */
const STALLED_MS = 60_000;
const MAX_ERROR_BYTES = 64 * 1024;
/** Answers such as 103 before the true one. */
const MAX_INFORMATIONAL = 16;
/** Thousands of embeddings fit; what goes on and on does not. */
const MAX_RESPONSE_BYTES = 256 * 1024 * 1024;
const CLIENT_DISCONNECTED = new Error('The caller left');

/**
 * One call of a model server, whose answer goes to the caller while it comes. Works on the connection itself, for
 * streams of the web cost more per token than the rest of the relay. A slow reader slows the server down.
 */
export class UpstreamCall implements Dispatcher.DispatchHandler {
  private readonly end = Promise.withResolvers<CompletedCall | RejectedCall | UnsentCall>();
  private readonly tail = new ResponseTail();
  private controller: Dispatcher.DispatchController | null = null;
  private events: SseUsage | null = null;
  private sent = false;
  private informational = 0;
  private rejection: Omit<RejectedCall, 'body' | 'kind'> | null = null;
  private readonly mask: SecretByteMask;
  private readonly eventMask: SseSecrets;

  /** `secrets` are masked in the answer; `hideUsage`: the caller has not asked for the chunk with the figures. */
  constructor(
    private readonly res: Response,
    private readonly secrets: { text: Secrets; bytes: Secrets },
    private readonly hideUsage: boolean,
  ) {
    this.mask = new SecretByteMask(secrets.bytes);
    this.eventMask = new SseSecrets(secrets.text);
    res.once('close', this.abort);
  }

  /** How the call ended. Rejects with UNAVAILABLE where no answer came. */
  get result(): Promise<CompletedCall | RejectedCall | UnsentCall> {
    return this.end.promise;
  }

  /** What came so far, by a rough count. */
  get completionTokens(): number {
    if (this.rejection) return 0;
    return this.events?.usage?.completionTokens ?? guessCompletionTokens(this.tail, this.events !== null);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.res.destroyed) controller.abort(CLIENT_DISCONNECTED);
    else this.sent = true;
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: UpstreamHeaders): void {
    if (status < 200) {
      // Each of them restarts the timeout of the headers.
      if (++this.informational > MAX_INFORMATIONAL) controller.abort(new Error('The headers do not end'));
      return;
    }
    if (status >= 300) {
      this.rejection = { status, headers };
      return;
    }
    const encoding = headers['content-encoding'] ?? 'identity';
    if (encoding !== 'identity') {
      controller.abort(new Error(`The answer is encoded as ${String(encoding)}, unasked`));
      return;
    }
    const type = this.secrets.bytes.mask(String(headers['content-type'] ?? 'application/json'));
    if (type.startsWith('text/event-stream')) this.events = new SseUsage(this.hideUsage);
    // Headers and first bytes mostly come together, and go together.
    const { socket } = this.res;
    socket?.cork();
    process.nextTick(() => socket?.uncork());
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
    this.tail.push(chunk);
    if (this.rejection) {
      if (this.tail.total > MAX_ERROR_BYTES) controller.abort(new Error('The refusal is too long'));
      return;
    }
    if (this.tail.total > MAX_RESPONSE_BYTES) {
      controller.abort(new Error('The answer is too long'));
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
      // The bytes that came are the caller's; that they are not all, a broken connection tells.
      this.res.write(this.remainingBytes(), () => this.res.destroy());
      this.finish();
    } else {
      this.res.off('close', this.abort);
      const code = 'upstream_unreachable';
      this.end.reject(
        new AppError('UNAVAILABLE', "The model's server could not be reached or did not answer", {
          cause,
          openai: { code },
        }),
      );
    }
  }

  private remainingBytes(): Buffer {
    const events = this.events
      ? [this.eventMask.push(this.events.end()), this.eventMask.end()].map((bytes) => this.mask.push(bytes))
      : [];
    return Buffer.concat([...events, this.mask.end()]);
  }

  private readonly abort = () => {
    this.controller?.abort(CLIENT_DISCONNECTED);
  };

  private finish(): void {
    this.res.off('close', this.abort);
    const { tail, events, rejection: refusal } = this;
    if (refusal) {
      this.end.resolve({ kind: 'refused', ...refusal, body: tail.bytes().toString('utf8') });
    } else if (!this.sent) {
      this.end.resolve({ kind: 'unsent' });
    } else {
      const usage = events ? events.usage : findUsage(tail);
      this.end.resolve({ kind: 'answered', usage, streamed: events !== null, tail });
    }
  }

  private waitForReader(controller: Dispatcher.DispatchController): void {
    controller.pause();
    const stalled = setTimeout(() => this.res.destroy(), STALLED_MS);
    const resume = () => {
      clearTimeout(stalled);
      this.res.off('drain', resume).off('close', resume);
      if (!this.res.destroyed) controller.resume();
    };
    this.res.on('drain', resume).on('close', resume);
  }
}

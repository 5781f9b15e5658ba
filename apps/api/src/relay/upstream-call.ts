import type { Response } from 'express';
import type { Dispatcher } from 'undici';
import { AppError } from '../infra/http/app-error.ts';
import type { ModelUsage } from '../models/model-provider.ts';
import { SecretByteMask, type Secrets } from '../models/secrets.ts';
import { AnswerTail } from './answer-tail.ts';
import { roughAnswerTokens, usageOf } from './answer-usage.ts';
import { SseSecrets } from './sse-secrets.ts';
import { SseUsage } from './sse-usage.ts';

type UpstreamHeaders = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];

/** An answer began: it came whole, or broke off, or its reader left. */
export interface Answered {
  kind: 'answered';
  /** Null: the server told none, or none as far as it came. */
  usage: ModelUsage | null;
  streamed: boolean;
  tail: AnswerTail;
}

export interface Refused {
  kind: 'refused';
  status: number;
  headers: UpstreamHeaders;
  body: string;
}

/** The caller left before anything was sent. */
export interface Unsent {
  kind: 'unsent';
}

/** A reader that takes nothing for so long is cut off. */
const STALLED_MS = 60_000;
const MAX_REFUSAL_BYTES = 64 * 1024;
/** Answers such as 103 before the true one. */
const MAX_INFORMATIONAL = 16;
/** Thousands of embeddings fit; what goes on and on does not. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;
const LEFT = new Error('The caller left');

/**
 * One call of a model server, whose answer goes to the caller while it comes. Works on the connection itself, for
 * streams of the web cost more per token than the rest of the relay. A slow reader slows the server down.
 */
export class UpstreamCall implements Dispatcher.DispatchHandler {
  private readonly end = Promise.withResolvers<Answered | Refused | Unsent>();
  private readonly tail = new AnswerTail();
  private controller: Dispatcher.DispatchController | null = null;
  private events: SseUsage | null = null;
  private sent = false;
  private informational = 0;
  private refusal: Omit<Refused, 'body' | 'kind'> | null = null;
  private readonly mask: SecretByteMask;
  private readonly spread: SseSecrets;

  /** `secrets` are masked in the answer; `hideUsage`: the caller has not asked for the chunk with the figures. */
  constructor(
    private readonly res: Response,
    private readonly secrets: { text: Secrets; bytes: Secrets },
    private readonly hideUsage: boolean,
  ) {
    this.mask = new SecretByteMask(secrets.bytes);
    this.spread = new SseSecrets(secrets.text);
    res.once('close', this.leave);
  }

  /** How the call ended. Rejects with UNAVAILABLE where no answer came. */
  get ended(): Promise<Answered | Refused | Unsent> {
    return this.end.promise;
  }

  /** What came so far, by a rough count. */
  get completionTokens(): number {
    if (this.refusal) return 0;
    return this.events?.usage?.completionTokens ?? roughAnswerTokens(this.tail, this.events !== null);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.res.destroyed) controller.abort(LEFT);
    else this.sent = true;
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: UpstreamHeaders): void {
    if (status < 200) {
      // Each of them restarts the timeout of the headers.
      if (++this.informational > MAX_INFORMATIONAL) controller.abort(new Error('The headers do not end'));
      return;
    }
    if (status >= 300) {
      this.refusal = { status, headers };
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
    if (this.refusal) {
      if (this.tail.total > MAX_REFUSAL_BYTES) controller.abort(new Error('The refusal is too long'));
      return;
    }
    if (this.tail.total > MAX_ANSWER_BYTES) {
      controller.abort(new Error('The answer is too long'));
      return;
    }
    const bytes = this.mask.push(this.events ? this.spread.push(this.events.push(chunk)) : chunk);
    if (bytes.length > 0 && !this.res.write(bytes)) this.waitForReader(controller);
  }

  onResponseEnd(): void {
    if (this.refusal) this.finish();
    else {
      this.res.end(this.rest());
      this.finish();
    }
  }

  onResponseError(_: Dispatcher.DispatchController, cause: Error): void {
    if (this.refusal || cause === LEFT) this.finish();
    else if (this.res.headersSent) {
      // The bytes that came are the caller's; that they are not all, a broken connection tells.
      this.res.write(this.rest(), () => this.res.destroy());
      this.finish();
    } else {
      this.res.off('close', this.leave);
      const code = 'upstream_unreachable';
      this.end.reject(
        new AppError('UNAVAILABLE', "The model's server could not be reached or did not answer", {
          cause,
          openai: { code },
        }),
      );
    }
  }

  private rest(): Buffer {
    const events = this.events
      ? [this.spread.push(this.events.end()), this.spread.end()].map((bytes) => this.mask.push(bytes))
      : [];
    return Buffer.concat([...events, this.mask.end()]);
  }

  private readonly leave = () => {
    this.controller?.abort(LEFT);
  };

  private finish(): void {
    this.res.off('close', this.leave);
    const { tail, events, refusal } = this;
    if (refusal) {
      this.end.resolve({ kind: 'refused', ...refusal, body: tail.bytes().toString('utf8') });
    } else if (!this.sent) {
      this.end.resolve({ kind: 'unsent' });
    } else {
      const usage = events ? events.usage : usageOf(tail);
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

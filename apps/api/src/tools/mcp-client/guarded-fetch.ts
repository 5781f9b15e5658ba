import { ReadableStream } from 'node:stream/web';
import { setTimeout as delay } from 'node:timers/promises';
import type { ToolRedirects, ToolServerResponse } from '@platform/contracts';
import { CAUSATION_HEADER } from '../../auth/credentials/causation.ts';
import { OutgoingError, type GuardedHttp, type OpenedResponse } from '../../infra/outgoing/guarded-http.ts';
import { isObject } from '../../infra/runtime/json.ts';
import type { Secrets } from '../../models/port/secrets.ts';
import type { AuthParts } from '../calls/auth-kinds/auth-kind.ts';
import type { Pair } from '../calls/serialize.ts';
import { describeResponse } from '../calls/tool-output.ts';
import { MessageCheck, UnreadableMessage } from './server-messages.ts';

const MAX_REDIRECTS = 5;
/** Of one piece of work. The longest list has fewer pages. */
const MAX_REQUESTS = 600;
/** Answers to what the server itself asks. */
const MAX_ANSWERS = 50;
/** Headers that are part of the protocol, or name a session: nobody else has a use for them. */
const OWN_HEADERS = ['mcp-session-id', 'location'];
const FLOODED = 'the server wants too many requests';
/** Statuses of responses that have no body. */
const WITHOUT_BODY = [204, 205, 304];

/** A server, and how it is called. */
export interface McpServerAddress {
  url: string;
  redirects: ToolRedirects;
  auth: AuthParts;
  /** Added to calls of tools. */
  key: Pair | null;
  /** Added to all requests, because they reach the platform itself. */
  causation: string | null;
}

export interface ExchangeLimits {
  /** Of everything together. */
  timeoutMs: number;
  /** Of everything together, after decompression. */
  maxBytes: number;
}

/** The requests that one piece of work makes, all of them through `GuardedHttp` and within one set of limits. */
export class Exchange {
  /** Why there was no response, or no readable one. */
  failure: OutgoingError | UnreadableMessage | null = null;
  retryAfter: string | null = null;
  readonly messages = new MessageCheck();
  private readonly ended = Promise.withResolvers<never>();
  private readonly deadline: number;
  private bytesLeft: number;
  private requests = 0;
  private answers = 0;
  private last: { headers: Headers; bytes: number } | null = null;
  private readonly notifications: Promise<unknown>[] = [];

  constructor(
    private readonly http: GuardedHttp,
    private readonly server: McpServerAddress,
    { timeoutMs, maxBytes }: ExchangeLimits,
  ) {
    this.deadline = performance.now() + timeoutMs;
    this.bytesLeft = maxBytes;
    // Nobody may wait for it.
    this.ended.promise.catch(() => undefined);
  }

  /** Does work until the server goes too far: the client of the protocol would wait for an answer until its time is over. */
  within<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.ended.promise]);
  }

  get remainingMs(): number {
    return Math.max(1, Math.ceil(this.deadline - performance.now()));
  }

  /** The client of the protocol makes its requests with this. */
  readonly fetch = async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    // A stream for what belongs to no call would be open for as long as the call, and nobody waits for it.
    if (init.method === 'GET' && !headers.has('last-event-id')) return new Response(null, { status: 405 });
    // A server that asks without end makes the platform call without end.
    if (this.isFlooded(init.body)) throw this.end(new OutgoingError(FLOODED));
    const made = this.send(url, init, headers);
    if (isNotification(init.body)) this.notifications.push(made.catch(() => undefined));
    try {
      return await made;
    } catch (error) {
      throw this.noteFailure(error);
    }
  };

  /** Waits for what was sent without a response, such as that a call was cancelled. */
  async settle(mostMs: number): Promise<void> {
    if (this.notifications.length === 0) return;
    const enough = new AbortController();
    const limit = delay(mostMs, undefined, { signal: enough.signal }).catch(() => undefined);
    await Promise.race([Promise.all(this.notifications), limit]);
    enough.abort();
  }

  /** The last response that was read, as callers may see it. */
  describe(secrets: Secrets): ToolServerResponse | null {
    if (this.last === null) return null;
    const headers = new Headers(this.last.headers);
    for (const name of OWN_HEADERS) headers.delete(name);
    const described = describeResponse({ bytes: Buffer.alloc(0), headers }, secrets);
    return { ...described, bytes: this.last.bytes };
  }

  private isFlooded(body: unknown): boolean {
    const isAnswer = typeof body === 'string' && !body.includes('"method":');
    if (isAnswer) this.answers++;
    return ++this.requests > MAX_REQUESTS || this.answers > MAX_ANSWERS;
  }

  private async send(url: string | URL, init: RequestInit, headers: Headers): Promise<Response> {
    const { redirects, auth } = this.server;
    const target = new URL(url);
    const query = [target.search.slice(1), ...auth.query.map((pair) => pair.join('='))];
    target.search = query.filter((text) => text !== '').join('&');
    this.addHeaders(headers, init.body);
    const opened = await this.http.open(target, {
      method: init.method ?? 'GET',
      headers: Object.fromEntries(headers),
      timeoutMs: this.remainingMs,
      maxBytes: Math.max(0, this.bytesLeft),
      ...(redirects !== 'none' && { redirects: { most: MAX_REDIRECTS, to: redirects } }),
      ...(typeof init.body === 'string' && { body: init.body }),
      ...(init.signal && { signal: init.signal }),
    });
    // The method would not be called: a redirect has made the request another one.
    if (opened.isOutcome) throw new OutgoingError('the server redirects to another method');
    this.retryAfter = opened.headers.get('retry-after');
    return this.toResponse(opened);
  }

  private addHeaders(headers: Headers, body: unknown): void {
    const { auth, key, causation } = this.server;
    headers.set('User-Agent', 'platform');
    if (key !== null && typeof body === 'string' && body.includes('"tools/call"')) headers.set(...key);
    for (const [name, value] of auth.headers) headers.set(name, value);
    if (auth.cookies.length > 0) headers.set('Cookie', auth.cookies.map((pair) => pair.join('=')).join('; '));
    if (causation !== null) headers.set(CAUSATION_HEADER, causation);
  }

  private async toResponse({ status, headers, body, discard }: OpenedResponse): Promise<Response> {
    const seen = { headers: new Headers(headers), bytes: 0 };
    this.last = seen;
    // Redirects were followed as far as the tool says.
    headers.delete('location');
    headers.delete('content-encoding');
    headers.delete('content-length');
    const init = { status: status < 200 || status > 599 ? 502 : status, headers };
    if (WITHOUT_BODY.includes(status)) {
      await discard();
      return new Response(null, init);
    }
    const counted = this.counted(body, seen);
    const type = headers.get('content-type') ?? '';
    if (/^text\/event-stream\b/i.test(type))
      return new Response(toStream(this.noted(this.messages.checkEvents(counted))), init);
    const chunks: Buffer[] = [];
    for await (const chunk of counted) chunks.push(chunk);
    const all = Buffer.concat(chunks);
    return new Response((/\bjson\b/i.test(type) ? this.messages.check(all) : all) as BodyInit, init);
  }

  private async *counted(body: AsyncIterable<Buffer>, seen: { bytes: number }): AsyncGenerator<Buffer> {
    for await (const chunk of body) {
      seen.bytes += chunk.length;
      this.bytesLeft -= chunk.length;
      if (this.bytesLeft < 0) throw this.end(new OutgoingError('the server sends too much'));
      yield chunk;
    }
  }

  /** What goes wrong in a stream is otherwise only a stream that has ended. */
  private async *noted(events: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    try {
      yield* events;
    } catch (error) {
      throw error instanceof UnreadableMessage ? this.end(error) : this.noteFailure(error);
    }
  }

  /** Nothing that the server sends after this is of use. */
  private end(error: OutgoingError | UnreadableMessage): Error {
    this.failure ??= error;
    this.requests = MAX_REQUESTS;
    this.ended.reject(error);
    return error;
  }

  private noteFailure(error: unknown): unknown {
    if (error instanceof OutgoingError || error instanceof UnreadableMessage) this.failure ??= error;
    return error;
  }
}

/** The types of Node.js and of browsers do not know each other. */
function toStream(chunks: AsyncIterable<Buffer>): BodyInit {
  return ReadableStream.from(chunks) as unknown as BodyInit;
}

/** A message without an id has no response. */
function isNotification(body: unknown): boolean {
  if (typeof body !== 'string' || !body.includes('"notifications/')) return false;
  const message: unknown = JSON.parse(body);
  return isObject(message) && !('id' in message);
}

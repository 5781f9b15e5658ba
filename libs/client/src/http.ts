import { passAbortOn } from './abort.ts';
import { PlatformConnectionError, PlatformError, errorOf } from './errors.ts';
import { backoffDelay, sleep } from './timer.ts';
import type { Timer } from './timer.ts';
import { queryString } from './url.ts';
import type { Query } from './url.ts';

export interface RequestOptions {
  /** Gives the call up. */
  signal?: AbortSignal;
  /** Milliseconds until the answer must be there; 0: no limit. */
  timeoutMs?: number;
}

export interface ApiRequest extends RequestOptions {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  path: string;
  query?: Query;
  /** Sent as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
  /** Identified by the refresh cookie, or not at all, instead of the client's credential. */
  byCookie?: boolean;
  /** Sending it twice does no more than sending it once, so that it is tried again as a GET is. */
  repeatable?: boolean;
}

export interface HttpSettings {
  /** Without a slash at its end; empty: the page's own origin. */
  baseUrl: string;
  fetch: typeof fetch;
  headers: Record<string, string>;
  timeoutMs: number;
  timer: Timer;
  random: () => number;
  /** The present API key or access token. */
  credential: () => string | null | Promise<string | null>;
  /** Asks for a new access token after a 401. */
  renew?: () => Promise<string | null>;
}

/** A value as the service had it, and the tag that names it so; null: the service names none. */
export interface Versioned<T> {
  value: T;
  version: string | null;
}

const UNCHANGED = 304;
const RETRIES = 2;
const RETRY_BACKOFF = { baseDelayMs: 250, maxDelayMs: 2_000 };
/** A service that asks for more patience than this is reported to the caller at once, in seconds. */
const MAX_RETRY_AFTER = 30;

/** Speaks JSON with the API: credential, time limit, typed errors, and new tries where they are safe. */
export class HttpClient {
  private readonly settings: HttpSettings;
  private renewal: Promise<string | null> | null = null;

  constructor(settings: HttpSettings) {
    this.settings = settings;
  }

  get<T>(path: string, query?: Query, options?: RequestOptions): Promise<T> {
    return this.json<T>({ ...options, method: 'GET', path, query });
  }

  post<T>(path: string, body?: unknown, options?: RequestOptions): Promise<T> {
    return this.json<T>({ ...options, method: 'POST', path, body });
  }

  /** A POST that the service recognises when it comes again. */
  postAgain<T>(path: string, body?: unknown, options?: RequestOptions): Promise<T> {
    return this.json<T>({ ...options, method: 'POST', path, body, repeatable: true });
  }

  patch<T>(path: string, body: unknown, options?: RequestOptions): Promise<T> {
    return this.json<T>({ ...options, method: 'PATCH', path, body });
  }

  async delete(path: string, options?: RequestOptions): Promise<void> {
    await this.json({ ...options, method: 'DELETE', path });
  }

  /** The parsed JSON answer. */
  json<T>(request: ApiRequest): Promise<T> {
    return this.insisted(request, async (response) => {
      return parseJson(response, await overNetwork(request, response.text())) as T;
    });
  }

  /** The parsed JSON answer with its version; null if it is still the version that the request names. */
  versioned<T>(request: ApiRequest & { seen?: string | null }): Promise<Versioned<T> | null> {
    const { seen, ...rest } = request;
    const headers = { ...rest.headers, ...(seen && { 'If-None-Match': seen }) };
    return this.insisted({ ...rest, headers }, async (response) => {
      const text = await overNetwork(request, response.text());
      if (response.status === UNCHANGED) return null;
      return { value: parseJson(response, text) as T, version: response.headers.get('ETag') };
    });
  }

  /** The bytes of an answer, with its content type. */
  blob(path: string, options?: RequestOptions): Promise<Blob> {
    const request: ApiRequest = { ...options, method: 'GET', path };
    return this.insisted(request, (response) => overNetwork(request, response.blob()));
  }

  // A GET and what is repeatable are tried again after a lost connection or a 503; nothing else ever is.
  private async insisted<T>(request: ApiRequest, read: (response: Response) => Promise<T>): Promise<T> {
    const retries = request.method === 'GET' || request.repeatable === true ? RETRIES : 0;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.exchange(request, read);
      } catch (error) {
        if (attempt > retries || !isPassing(error)) throw error;
        await sleep(this.settings.timer, this.delayBefore(attempt, error), request.signal);
      }
    }
  }

  /** The successful answer with its body unread; the time limit holds until its headers are there. */
  open(request: ApiRequest): Promise<Response> {
    return this.exchange(request, (response) => Promise.resolve(response));
  }

  private async exchange<T>(request: ApiRequest, read: (response: Response) => Promise<T>): Promise<T> {
    const { signal, release } = this.limit(request);
    try {
      const response = await this.authorized(request, signal);
      const unchanged = response.status === UNCHANGED && request.headers?.['If-None-Match'] !== undefined;
      if (response.ok || unchanged) return await read(response);
      throw errorOf(response, await overNetwork(request, response.text()));
    } finally {
      release();
    }
  }

  private async authorized(request: ApiRequest, signal: AbortSignal): Promise<Response> {
    if (request.byCookie === true) return this.send(request, null, signal);
    const used = await this.settings.credential();
    const response = await this.send(request, used, signal);
    if (response.status !== 401) return response;
    const renewed = await this.renewed(used);
    if (renewed === null) return response;
    // A 401 is decided before anything runs, so the same request may go out again.
    void response.body?.cancel();
    return this.send(request, renewed, signal);
  }

  /** A credential other than the refused one; calls that are refused side by side share one renewal. */
  private async renewed(refused: string | null): Promise<string | null> {
    if (this.settings.renew === undefined) return null;
    const present = await this.settings.credential();
    if (present !== refused) return present;
    this.renewal ??= this.settings.renew().finally(() => {
      this.renewal = null;
    });
    return this.renewal;
  }

  private send(request: ApiRequest, credential: string | null, signal: AbortSignal): Promise<Response> {
    const headers = new Headers(this.settings.headers);
    headers.set('Accept', 'application/json');
    if (request.body !== undefined) headers.set('Content-Type', 'application/json');
    if (credential !== null && credential !== '') headers.set('Authorization', `Bearer ${credential}`);
    for (const [name, value] of Object.entries(request.headers ?? {})) headers.set(name, value);
    const url = `${this.settings.baseUrl}${request.path}${queryString(request.query)}`;
    const init: RequestInit = { method: request.method, headers, signal };
    if (request.body !== undefined) init.body = JSON.stringify(request.body);
    if (request.byCookie === true) init.credentials = 'include';
    return overNetwork(request, this.settings.fetch(url, init));
  }

  private limit(request: ApiRequest): { signal: AbortSignal; release: () => void } {
    const ms = request.timeoutMs ?? this.settings.timeoutMs;
    const controller = new AbortController();
    const stopTimer =
      ms === 0
        ? () => undefined
        : this.settings.timer.after(ms, () => controller.abort(new Error(`Nothing within ${ms} ms`)));
    const unlink = passAbortOn([request.signal], controller);
    const release = () => {
      stopTimer();
      unlink();
    };
    return { signal: controller.signal, release };
  }

  private delayBefore(attempt: number, error: unknown): number {
    const asked = error instanceof PlatformError ? (error.retryAfter ?? 0) * 1000 : 0;
    return Math.max(asked, backoffDelay(attempt, RETRY_BACKOFF, this.settings.random()));
  }
}

function parseJson(response: Response, text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (cause) {
    const { status, code, requestId, turnId, retryAfter } = errorOf(response, '');
    const message = 'The answer is not JSON: something between may have answered for the service';
    throw new PlatformError({ status, code, message, requestId, turnId, retryAfter }, { cause });
  }
}

// A failure of the network becomes one error type; giving up by the caller's own signal stays what it is.
async function overNetwork<T>(request: ApiRequest, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    request.signal?.throwIfAborted();
    throw new PlatformConnectionError(`No answer to ${request.method} ${request.path}: ${reasonOf(cause)}`, {
      cause,
    });
  }
}

function isPassing(error: unknown): boolean {
  if (error instanceof PlatformConnectionError) return true;
  return error instanceof PlatformError && error.status === 503 && (error.retryAfter ?? 0) <= MAX_RETRY_AFTER;
}

// fetch says "fetch failed" and keeps the reason one level below.
function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { message?: string } | null };
  return cause?.message || message || String(error);
}

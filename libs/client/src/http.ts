import type { Page } from '@platform/contracts';
import { forwardAbort } from './abort.ts';
import { ApiPromise, PagePromise } from './api-promise.ts';
import type { ApiResult } from './api-promise.ts';
import { PlatformConnectionError, PlatformError, PlatformTimeoutError, toPlatformError } from './errors.ts';
import { CALL_RETRIES, Retry } from './retry.ts';
import type { OnWait } from './retry.ts';
import type { Timer } from './timer.ts';
import { formatQuery } from './url.ts';
import type { Query } from './url.ts';

export interface RequestOptions {
  /** Aborts the call. */
  signal?: AbortSignal | undefined;
  /** Milliseconds until the response must be complete; 0 disables the limit. */
  timeoutMs?: number | undefined;
  /** How often the call is repeated if that is safe. Default: that of the client. */
  maxRetries?: number | undefined;
}

export interface ApiRequest extends RequestOptions {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  path: string;
  query?: Query | undefined;
  /** Sent as JSON. */
  body?: unknown;
  /** JSON that is sent as it is, instead of `body`. */
  json?: string | undefined;
  /** Sent as it is, instead of `body`. Its content type contains a boundary, which fetch chooses. */
  form?: FormData | undefined;
  headers?: Record<string, string> | undefined;
  /** Sends the refresh cookie instead of the client's credential. */
  useCookie?: boolean | undefined;
  /** Sending the request twice has the same effect as sending it once, as it has with GET, PUT, and DELETE. */
  idempotent?: boolean | undefined;
}

export interface HttpSettings {
  /** Without a trailing slash. An empty string means the origin of the page. */
  baseUrl: string;
  fetch: typeof fetch;
  headers: Record<string, string>;
  timeoutMs: number;
  maxRetries: number;
  timer: Timer;
  random: () => number;
  onWait?: OnWait | undefined;
  /** Returns the current API key or access token. */
  credential: () => string | null | Promise<string | null>;
  /** Obtains a new access token after a 401; null if there is none. */
  renewCredential?: (() => Promise<string | null>) | undefined;
}

/** A value and its version (the `ETag` of the response); null if the service sent none. */
export interface Versioned<T> {
  value: T;
  version: string | null;
}

/** The time limit of one request. */
interface Timeout {
  signal: AbortSignal;
  pause: () => void;
  resume: () => void;
  release: () => void;
}

const NOT_MODIFIED = 304;
const NOT_FOUND = 404;
const SAFE_METHODS = ['GET', 'PUT', 'DELETE'];

/** Reads the body of a response. `arrive` converts the failures of reading. */
type Read<T> = (response: Response, arrive: Arrive) => Promise<T>;
type Arrive = <V>(operation: Promise<V>) => Promise<V>;

/** Sends JSON requests to the API: credential, timeout, typed errors, and repetitions where they are safe. */
export class HttpClient {
  private readonly settings: HttpSettings;
  private readonly retry: Retry;
  private renewal: Promise<string | null> | null = null;

  constructor(settings: HttpSettings) {
    this.settings = settings;
    this.retry = new Retry(settings, { ...CALL_RETRIES, attempts: settings.maxRetries });
  }

  get<T>(path: string, query?: Query, options?: RequestOptions): ApiPromise<T> {
    return this.json<T>({ ...options, method: 'GET', path, query });
  }

  /** Returns a page of a list, from which the following pages can be read. */
  list<T, P extends Page<T> = Page<T>>(
    path: string,
    query?: Query,
    options?: RequestOptions,
  ): PagePromise<T, P> {
    const fetchPage = (cursor: string) => this.get<P>(path, { ...query, cursor }, options);
    return new PagePromise<T, P>(this.get<P>(path, query, options).withResponse(), fetchPage);
  }

  post<T>(path: string, body?: unknown, options?: RequestOptions): ApiPromise<T> {
    return this.json<T>({ ...options, method: 'POST', path, body });
  }

  /** Sends a POST request that the service recognizes if it is repeated. */
  postIdempotent<T>(path: string, body?: unknown, options?: RequestOptions): ApiPromise<T> {
    return this.json<T>({ ...options, method: 'POST', path, body, idempotent: true });
  }

  patch<T>(path: string, body: unknown, options?: RequestOptions): ApiPromise<T> {
    return this.json<T>({ ...options, method: 'PATCH', path, body });
  }

  delete(path: string, options?: RequestOptions): ApiPromise<void> {
    return this.json({ ...options, method: 'DELETE', path });
  }

  /** Returns the parsed JSON response; undefined if it is empty. */
  json<T>(request: ApiRequest): ApiPromise<T> {
    return this.call(request, async (response, arrive) => {
      return parseJson(response, await arrive(response.text())) as T;
    });
  }

  /** Returns the parsed JSON response with its version, or null if the version is still `knownVersion`. */
  getVersioned<T>(request: ApiRequest & { knownVersion?: string | null }): ApiPromise<Versioned<T> | null> {
    const { knownVersion, ...rest } = request;
    const headers = { ...rest.headers, ...(knownVersion && { 'If-None-Match': knownVersion }) };
    return this.call({ ...rest, headers }, async (response, arrive) => {
      const text = await arrive(response.text());
      if (response.status === NOT_MODIFIED) return null;
      return { value: parseJson(response, text) as T, version: response.headers.get('ETag') };
    });
  }

  /** Returns the bytes of the response with its content type. */
  blob(path: string, options?: RequestOptions): ApiPromise<Blob> {
    return this.call({ ...options, method: 'GET', path }, (response, arrive) => arrive(response.blob()));
  }

  /** Returns a successful response with its body unread. The timeout ends when the headers have arrived. */
  async open(request: ApiRequest): Promise<Response> {
    return (await this.exchange(request, () => Promise.resolve(), false)).response;
  }

  private call<T>(request: ApiRequest, read: Read<T>): ApiPromise<T> {
    const exchange = (failures: number) => this.exchange(request, read, failures > 0);
    // Anything else could take effect twice, unless it was refused before it began.
    const canRepeat = SAFE_METHODS.includes(request.method) || request.idempotent === true;
    const mayRepeat = (error: unknown) => canRepeat || isRateLimited(error);
    return new ApiPromise(this.retry.run(exchange, request.signal, request.maxRetries, mayRepeat));
  }

  private async exchange<T>(
    request: ApiRequest,
    read: Read<T>,
    isRepetition: boolean,
  ): Promise<ApiResult<T>> {
    const timeout = this.startTimeout(request);
    const { signal } = timeout;
    const arrive: Arrive = (operation) => translateFailure(request, signal, operation);
    try {
      const response = await this.sendAuthorized(request, timeout);
      const requestId = response.headers.get('X-Request-Id');
      const isNotModified =
        response.status === NOT_MODIFIED && request.headers?.['If-None-Match'] !== undefined;
      if (response.ok || isNotModified) return { data: await read(response, arrive), response, requestId };
      const body = await arrive(response.text());
      // The first request may have deleted it before its response was lost.
      const isGone = isRepetition && request.method === 'DELETE' && response.status === NOT_FOUND;
      if (isGone) return { data: undefined as T, response, requestId };
      throw toPlatformError(response, body);
    } finally {
      timeout.release();
    }
  }

  private async sendAuthorized(request: ApiRequest, timeout: Timeout): Promise<Response> {
    const { signal } = timeout;
    if (request.useCookie === true) return this.send(request, null, signal);
    const used = await this.settings.credential();
    const response = await this.send(request, used, signal);
    if (response.status !== 401) return response;
    // A person may have to sign in first.
    timeout.pause();
    const renewed = await this.renewCredential(used);
    timeout.resume();
    if (renewed === null) return response;
    // A 401 is returned before anything runs, so the same request can be sent again.
    void response.body?.cancel();
    return this.send(request, renewed, signal);
  }

  /** Returns a credential other than the rejected one. Concurrent calls that were rejected share one renewal. */
  private async renewCredential(rejected: string | null): Promise<string | null> {
    if (this.settings.renewCredential === undefined) return null;
    const current = await this.settings.credential();
    if (current !== rejected) return current;
    this.renewal ??= this.settings.renewCredential().finally(() => {
      this.renewal = null;
    });
    return this.renewal;
  }

  private send(request: ApiRequest, credential: string | null, signal: AbortSignal): Promise<Response> {
    const headers = new Headers(this.settings.headers);
    headers.set('Accept', 'application/json');
    const json = request.json ?? (request.body === undefined ? undefined : JSON.stringify(request.body));
    if (json !== undefined) headers.set('Content-Type', 'application/json');
    if (credential !== null && credential !== '') headers.set('Authorization', `Bearer ${credential}`);
    for (const [name, value] of Object.entries(request.headers ?? {})) headers.set(name, value);
    const url = `${this.settings.baseUrl}${request.path}${formatQuery(request.query)}`;
    const init: RequestInit = { method: request.method, headers, signal };
    if (json !== undefined) init.body = json;
    if (request.form !== undefined) init.body = request.form;
    if (request.useCookie === true) init.credentials = 'include';
    return translateFailure(request, signal, this.settings.fetch(url, init));
  }

  private startTimeout(request: ApiRequest): Timeout {
    const ms = request.timeoutMs ?? this.settings.timeoutMs;
    const controller = new AbortController();
    const call = `${request.method} ${request.path}`;
    const start = () =>
      ms === 0
        ? () => undefined
        : this.settings.timer.after(ms, () => controller.abort(new PlatformTimeoutError(call, ms)));
    let stopTimer = start();
    const removeListeners = forwardAbort([request.signal], controller);
    const release = () => {
      stopTimer();
      removeListeners();
    };
    const resume = () => {
      stopTimer = start();
    };
    return { signal: controller.signal, pause: () => stopTimer(), resume, release };
  }
}

const isRateLimited = (error: unknown): boolean => error instanceof PlatformError && error.status === 429;

function parseJson(response: Response, text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (cause) {
    const { status, code, requestId, turnId, retryAfter } = toPlatformError(response, '');
    const message = 'The response is not JSON. It may have been sent by a proxy instead of the service.';
    throw new PlatformError({ status, code, message, requestId, turnId, retryAfter }, { cause });
  }
}

// Network failures become one error type. If the caller aborts the call, the reason of its signal is thrown as it is.
async function translateFailure<T>(
  request: ApiRequest,
  signal: AbortSignal,
  operation: Promise<T>,
): Promise<T> {
  try {
    return await operation;
  } catch (cause) {
    request.signal?.throwIfAborted();
    if (signal.reason instanceof PlatformTimeoutError) throw signal.reason;
    const message = `No response to ${request.method} ${request.path}: ${findReason(cause)}`;
    throw new PlatformConnectionError(message, { cause });
  }
}

// fetch throws "fetch failed" and keeps the reason in `cause`.
function findReason(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { message?: string } | null };
  return cause?.message || message || String(error);
}

import { lookup as dnsLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector, Dispatcher, fetch, Pool, type Response } from 'undici';
import { AddressPolicy } from './address-policy.ts';
import { parseAllowedHost } from '../config/allowed-hosts.ts';
import { PAUSABLE, SocketClient } from './socket-client.ts';

export interface GuardedHttpOptions {
  /** Private destinations that are allowed: `host`, `host:port`, address, or CIDR. */
  allowPrivate: string[];
  /** Resolves a name. Default: the resolver of the system. */
  resolve?: (hostname: string) => Promise<string[]>;
  connectTimeoutMs?: number;
}

export interface GuardedRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array | FormData | URLSearchParams;
  /** The most bytes of the response body after decompression. Default: 10 MB. */
  maxBytes?: number;
  /** Whether only the status and the headers matter: the body is not read, however large it is. */
  skipBody?: boolean;
  /** Milliseconds until the complete response has arrived. Default: 30,000. */
  timeoutMs?: number;
  /** How many redirects of a GET or HEAD are followed. By default none: the redirect itself is the response. */
  followRedirects?: number;
  signal?: AbortSignal;
}

/** A complete response. */
export class GuardedResponse {
  constructor(
    readonly status: number,
    readonly headers: Headers,
    /** The address after redirects. */
    readonly url: string,
    readonly bytes: Buffer,
  ) {}

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  text(): string {
    return this.bytes.toString('utf8');
  }

  /** Throws a SyntaxError if the body is not JSON. */
  json(): unknown {
    return JSON.parse(this.text());
  }
}

/** There was no response. Its message never tells whether the call was blocked, refused, timed out, or too large. */
export class OutgoingError extends Error {
  /** Whether there was no connection, or it broke before a response began. The same if it was blocked or refused. */
  readonly isConnectionFailure: boolean;

  constructor(
    readonly reason: string,
    { isConnectionFailure = false, ...options }: { cause?: unknown; isConnectionFailure?: boolean } = {},
  ) {
    super('The address could not be reached', options);
    this.name = 'OutgoingError';
    this.isConnectionFailure = isConnectionFailure;
  }
}

const MAX_BYTES = 10_485_760;
const TIMEOUT_MS = 30_000;
const MISDIRECTED = 421;
const REDIRECTS = [301, 302, 303, 307, 308];
// The headers that a redirect to another origin keeps.
const HARMLESS_HEADERS = ['accept', 'accept-language', 'user-agent'];

/** Makes all outgoing calls. Reaches public addresses, and the private ones that the operator allows. */
export class GuardedHttp {
  private readonly resolve: (hostname: string) => Promise<string[]>;
  private readonly agents: { public: Agent; loopback: Agent };
  private readonly policy: AddressPolicy;

  constructor({ allowPrivate, resolve = systemResolve, connectTimeoutMs = 3_000 }: GuardedHttpOptions) {
    const allowed = allowPrivate.map((text) => {
      const entry = parseAllowedHost(text);
      if (!entry) throw new Error(`${text} is no host, host:port or CIDR range`);
      return entry;
    });
    const agent = (allowLoopback: boolean) => {
      const connect = this.connector(new AddressPolicy(allowed, allowLoopback), connectTimeoutMs);
      const client = (origin: URL, options: object) => new SocketClient(origin, { ...options, connect });
      return new Agent({ factory: (origin, options) => new Pool(origin, { ...options, factory: client }) });
    };
    this.policy = new AddressPolicy(allowed, false);
    this.resolve = resolve;
    this.agents = { public: agent(false), loopback: agent(true) };
  }

  /** Guards the connections of another client, which must use undici. */
  dispatcher({ allowLoopback = false } = {}): Dispatcher {
    return allowLoopback ? this.agents.loopback : this.agents.public;
  }

  /**
   * Throws an `OutgoingError` if calls may not reach the address: for clients that make connections of their own. The name
   * can resolve to another address when they connect.
   */
  async assertReachable(address: string): Promise<void> {
    const url = parse(address);
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
    const addresses = isIP(host) === 0 ? await this.resolve(host) : [host];
    const refused = addresses.find((each) => !this.policy.allows(host, each, port));
    if (refused !== undefined || addresses.length === 0) throw new OutgoingError(blocked(host, port));
  }

  /** Makes one call. Throws an `OutgoingError` if there is no response, and the reason of the signal if it aborts. */
  async fetch(url: string | URL, request: GuardedRequest = {}): Promise<GuardedResponse> {
    const { timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES, skipBody = false, signal } = request;
    signal?.throwIfAborted();
    const timeout = AbortSignal.timeout(timeoutMs);
    let isConnectionFailure = true;
    try {
      const { response, status, from } = await this.follow(
        parse(url),
        request,
        signal ? AbortSignal.any([signal, timeout]) : timeout,
      );
      isConnectionFailure = false;
      const bytes = skipBody ? await discardBody(response) : await readBody(response, maxBytes);
      return new GuardedResponse(status, response.headers as unknown as Headers, from.href, bytes);
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof OutgoingError) throw error;
      if (timeout.aborted) throw new OutgoingError(`no answer within ${timeoutMs} ms`, { cause: error });
      throw new OutgoingError(innermost(error), { cause: error, isConnectionFailure });
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.agents.public.destroy(), this.agents.loopback.destroy()]);
  }

  private async follow(url: URL, request: GuardedRequest, signal: AbortSignal) {
    const { method = 'GET', body, followRedirects = 0 } = request;
    const followed = /^(GET|HEAD)$/i.test(method) ? followRedirects : 0;
    let headers = request.headers ?? {};
    let from = url;
    for (let left = followed; ; left--) {
      const dispatcher = new OnceDispatcher(this.agents.public);
      const response = await fetch(from, {
        method,
        headers,
        ...(body !== undefined && { body: body as string }),
        redirect: 'manual',
        dispatcher,
        signal,
      });
      const status = dispatcher.isMisdirected ? MISDIRECTED : response.status;
      const location = REDIRECTS.includes(response.status) ? response.headers.get('location') : null;
      if (location === null || followed === 0) return { response, status, from };
      await response.body?.cancel();
      if (left === 0) throw new OutgoingError('too many redirects');
      const to = parse(location, from);
      if (to.origin !== from.origin) headers = only(headers, HARMLESS_HEADERS);
      from = to;
    }
  }

  /** Connects only to checked addresses. A name is resolved once, and the connection goes to the address that was checked. */
  private connector(policy: AddressPolicy, timeout: number): buildConnector.connector {
    // A lookup does not receive the port, so each port has its own.
    const connectors = new Map<number, buildConnector.connector>();
    const connectorFor = (port: number) => {
      const known = connectors.get(port);
      if (known) return known;
      const lookup = this.checkedLookup(policy, port);
      const made = buildConnector({ timeout, lookup, allowH2: false, autoSelectFamily: true, ...PAUSABLE });
      connectors.set(port, made);
      return made;
    };
    return (options, callback) => {
      const host = options.hostname.replace(/^\[|\]$/g, '');
      const port = Number(options.port || (options.protocol === 'https:' ? 443 : 80));
      // An IP address needs no lookup, so it is checked here.
      if (isIP(host) !== 0 && !policy.allows(host, host, port))
        callback(new OutgoingError(blocked(host, port)), null);
      else connectorFor(port)(options, callback);
    };
  }

  private checkedLookup(policy: AddressPolicy, port: number): LookupFunction {
    const find = async (hostname: string) => {
      const addresses = await this.resolve(hostname);
      const refused = addresses.find((address) => !policy.allows(hostname, address, port));
      if (refused !== undefined) throw new OutgoingError(blocked(`${hostname} at ${refused}`, port));
      const found = addresses.map((address) => ({ address, family: isIP(address) }));
      const [first] = found;
      if (!first) throw new OutgoingError(`${hostname} has no address`);
      return { found, first };
    };
    return (hostname, { all }, done) => {
      find(hostname).then(
        ({ found, first }) => {
          if (all === true) done(null, found);
          else done(null, first.address, first.family);
        },
        (error: unknown) => {
          done(error as Error, '');
        },
      );
    };
  }
}

/**
 * Carries out one request of `fetch`, which repeats requests whose response is 421, also those that must not be sent
 * twice. It therefore sees another status.
 */
class OnceDispatcher extends Dispatcher {
  isMisdirected = false;

  constructor(private readonly agent: Dispatcher) {
    super();
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const start = handler.onResponseStart?.bind(handler);
    handler.onResponseStart = (controller, status, ...rest) => {
      this.isMisdirected = status === MISDIRECTED;
      start?.(controller, this.isMisdirected ? 400 : status, ...rest);
    };
    return this.agent.dispatch(options, handler);
  }
}

async function systemResolve(hostname: string): Promise<string[]> {
  return (await dnsLookup(hostname, { all: true })).map(({ address }) => address);
}

function parse(text: string | URL, base?: URL): URL {
  const url = URL.parse(text, base);
  if (!url) throw new OutgoingError('the address cannot be read');
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new OutgoingError(`${url.protocol} is not http`);
  if (url.username !== '' || url.password !== '') throw new OutgoingError('the address carries credentials');
  return url;
}

async function readBody({ body }: Response, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the body.
  for await (const chunk of body ?? []) {
    size += (chunk as Uint8Array).length;
    if (size > maxBytes) throw new OutgoingError(`the answer has more than ${maxBytes} bytes`);
    chunks.push(chunk as Uint8Array);
  }
  return Buffer.concat(chunks, size);
}

async function discardBody({ body }: Response): Promise<Buffer> {
  await body?.cancel();
  return Buffer.alloc(0);
}

function only(headers: Record<string, string>, names: string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => names.includes(name.toLowerCase())));
}

const blocked = (place: string, port: number) => `${place}, port ${port}, is not public and not allowed`;

/** The root cause: undici wraps it in "fetch failed". */
function innermost(error: unknown): string {
  let inner = error;
  while (inner instanceof Error && inner.cause !== undefined) inner = inner.cause;
  if (inner instanceof OutgoingError) return inner.reason;
  return inner instanceof Error ? `${inner.name}: ${inner.message}` : String(inner);
}

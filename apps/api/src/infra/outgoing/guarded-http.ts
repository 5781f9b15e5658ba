import { lookup as dnsLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector, Dispatcher, fetch, Pool, type Response } from 'undici';
import { AddressPolicy } from './address-policy.ts';
import { parseAllowedHost } from '../config/allowed-hosts.ts';
import { decodeBody } from '../requests/decoded-body.ts';
import { FairQueue } from '../runtime/fair-queue.ts';
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
  /**
   * How many redirects are followed, and where to; one too many is an error. The response of a redirect that is not followed is the
   * response. Default: none. The method and the body change as `fetch` says, and another origin receives no credentials.
   */
  redirects?: { most: number; to: 'same-origin' | 'any' };
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
    /** Whether a server took the request, and this only tells what came of it: a redirect made it a GET. */
    readonly isOutcome = false,
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

/** A response whose body is still arriving. Reading it throws what `fetch` throws; whoever stops reading it ends it. */
export interface OpenedResponse {
  status: number;
  headers: Headers;
  /** The address after redirects. */
  url: string;
  /** As in `GuardedResponse`. */
  isOutcome: boolean;
  /** Decompressed. */
  body: AsyncIterable<Buffer>;
  /** Ends the response without reading its body. */
  discard: () => Promise<void>;
}

/** There was no response. Its message never tells whether the call was blocked, refused, timed out, or too large. */
export class OutgoingError extends Error {
  /** Whether there was no connection, or it broke before a response began. The same if it was blocked or refused. */
  readonly isConnectionFailure: boolean;
  /** Whether the address is not public and not allowed: for the operator alone. */
  readonly isBlocked: boolean;

  constructor(
    readonly reason: string,
    {
      isConnectionFailure = false,
      isBlocked = false,
      ...options
    }: { cause?: unknown; isConnectionFailure?: boolean; isBlocked?: boolean } = {},
  ) {
    super('The address could not be reached', options);
    this.name = 'OutgoingError';
    this.isBlocked = isBlocked;
    this.isConnectionFailure = isConnectionFailure;
  }
}

/** For installation administrators alone: whoever else learns it can find out what the private network has. */
export const BLOCKED = 'The address is not public: PLATFORM_ALLOWED_PRIVATE_HOSTS allows it';

/** Whether a call failed because its address is not public and not allowed. */
export function isBlockedCall(error: unknown): boolean {
  const root = rootCause(error);
  return root instanceof OutgoingError && root.isBlocked;
}

const MAX_BYTES = 10_485_760;
const TIMEOUT_MS = 30_000;
/** As in browsers and curl. */
const MAX_ENCODINGS = 5;
const MISDIRECTED = 421;
const REDIRECTS = [301, 302, 303, 307, 308];
/**
 * Names that are looked up at the same time, and of one domain. A name whose server does not answer holds one of the four threads of
 * the process for many seconds, in which it also compresses, reads files, and checks passwords.
 */
const LOOKUPS = { places: 3, perKey: 2 };
// The headers that a redirect to another origin keeps.
const HARMLESS_HEADERS = ['accept', 'accept-language', 'user-agent', 'content-type'];

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
    const lookups = new FairQueue({ ...LOOKUPS, maxWaitMs: connectTimeoutMs });
    const underWay = new Map<string, Promise<string[]>>();
    // What connects at the same moment shares a lookup.
    this.resolve = (hostname) => {
      const lookUp = () => lookups.run(domainOf(hostname), () => resolve(hostname));
      const looking = underWay.get(hostname) ?? lookUp().finally(() => underWay.delete(hostname));
      underWay.set(hostname, looking);
      return looking;
    };
    this.agents = { public: agent(false), loopback: agent(true) };
  }

  /** Guards the connections of another client, which must use undici. */
  dispatcher({ allowLoopback = false } = {}): Dispatcher {
    return allowLoopback ? this.agents.loopback : this.agents.public;
  }

  /**
   * Returns an address of a host to which calls may connect, for clients of other protocols: they connect to it, and do not
   * resolve the name again. Throws an `OutgoingError` if there is none.
   */
  async findAddress(host: string, port: number): Promise<string> {
    const addresses = isIP(host) === 0 ? await this.resolve(host) : [host];
    const refused = addresses.find((each) => !this.policy.allows(host, each, port));
    const [address] = addresses;
    if (refused !== undefined || address === undefined) throw blocked(host, port);
    return address;
  }

  /** Makes one call. Throws an `OutgoingError` if there is no response, and the reason of the signal if it aborts. */
  async fetch(url: string | URL, request: GuardedRequest = {}): Promise<GuardedResponse> {
    const { status, headers, url: from, isOutcome, body, discard } = await this.open(url, request);
    const chunks: Buffer[] = [];
    if (request.skipBody) await discard();
    else for await (const chunk of body) chunks.push(chunk);
    return new GuardedResponse(status, headers, from, Buffer.concat(chunks), isOutcome);
  }

  /** The same for a response that is read while it arrives. The limits of time and bytes are those of all of it. */
  async open(url: string | URL, request: GuardedRequest = {}): Promise<OpenedResponse> {
    const { timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES, signal } = request;
    signal?.throwIfAborted();
    const timeout = AbortSignal.timeout(timeoutMs);
    const progress = { hasResponse: false };
    const toOutgoing = (error: unknown): OutgoingError => {
      signal?.throwIfAborted();
      if (error instanceof OutgoingError) return error;
      if (timeout.aborted) return new OutgoingError(`no answer within ${timeoutMs} ms`, { cause: error });
      // The first of several servers may have acted already.
      const isConnectionFailure = !progress.hasResponse;
      const isBlocked = isBlockedCall(error);
      return new OutgoingError(reasonOf(rootCause(error)), { cause: error, isConnectionFailure, isBlocked });
    };
    try {
      const end = signal ? AbortSignal.any([signal, timeout]) : timeout;
      const { response, status, encoding, from, isOutcome } = await this.follow(
        parse(url),
        request,
        end,
        progress,
      );
      const headers = new Headers([...response.headers]);
      if (encoding !== null) headers.set('content-encoding', encoding);
      const discard = async () => response.body?.cancel();
      const body = readBody(response, encoding, maxBytes, end, toOutgoing);
      return { status, headers, url: from.href, isOutcome, body, discard };
    } catch (error) {
      throw toOutgoing(error);
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.agents.public.destroy(), this.agents.loopback.destroy()]);
  }

  private async follow(
    url: URL,
    request: GuardedRequest,
    signal: AbortSignal,
    progress: { hasResponse: boolean },
  ) {
    const { redirects = null } = request;
    let { method = 'GET', headers = {}, body } = request;
    let from = url;
    for (let left = redirects?.most ?? 0; ; left--) {
      const dispatcher = new OnceDispatcher(this.agents.public);
      const response = await fetch(from, {
        method,
        headers,
        ...(body !== undefined && { body: body as string }),
        redirect: 'manual',
        dispatcher,
        signal,
      });
      progress.hasResponse = true;
      const { status = response.status, encoding } = dispatcher;
      const location = REDIRECTS.includes(response.status) ? response.headers.get('location') : null;
      const to = location === null || redirects === null ? null : parse(location, from);
      if (to === null || (to.origin !== from.origin && redirects?.to !== 'any'))
        return { response, status, encoding, from, isOutcome: method !== (request.method ?? 'GET') };
      await response.body?.cancel();
      if (left === 0) throw new OutgoingError('too many redirects');
      if (becomesGet(status, method)) {
        method = 'GET';
        body = undefined;
        headers = without(headers, /^content-/i);
      }
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
      if (isIP(host) !== 0 && !policy.allows(host, host, port)) callback(blocked(host, port), null);
      else connectorFor(port)(options, callback);
    };
  }

  private checkedLookup(policy: AddressPolicy, port: number): LookupFunction {
    const find = async (hostname: string) => {
      const addresses = await this.resolve(hostname);
      const refused = addresses.find((address) => !policy.allows(hostname, address, port));
      if (refused !== undefined) throw blocked(`${hostname} at ${refused}`, port);
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
 * twice, and takes the beginning of a compressed body for all of it. It therefore sees another status, and no encoding.
 */
class OnceDispatcher extends Dispatcher {
  /** The status that `fetch` does not see. */
  status: number | undefined;
  /** The `Content-Encoding`; null if there is none. */
  encoding: string | null = null;

  constructor(private readonly agent: Dispatcher) {
    super();
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const start = handler.onResponseStart?.bind(handler);
    handler.onResponseStart = (controller, status, headers, ...rest) => {
      this.status = status === MISDIRECTED ? status : undefined;
      const encoding = headers['content-encoding'];
      this.encoding = encoding === undefined ? null : String(encoding);
      if (this.encoding !== null) hideHeader(controller.rawHeaders, 'content-encoding');
      start?.(controller, this.status === undefined ? status : 400, headers, ...rest);
    };
    return this.agent.dispatch(options, handler);
  }
}

/** `fetch` reads the names and values as they arrived. */
function hideHeader(rawHeaders: unknown, name: string): void {
  if (!Array.isArray(rawHeaders)) throw new Error('undici has no raw headers');
  for (let i = rawHeaders.length - 2; i >= 0; i -= 2)
    if (String(rawHeaders[i]).toLowerCase() === name) rawHeaders.splice(i, 2);
}

async function systemResolve(hostname: string): Promise<string[]> {
  return (await dnsLookup(hostname, { all: true })).map(({ address }) => address);
}

/** The last two labels of a name, such as `example.com`. */
const domainOf = (hostname: string) =>
  hostname.toLowerCase().replace(/\.$/, '').split('.').slice(-2).join('.');

function parse(text: string | URL, base?: URL): URL {
  const url = URL.parse(text, base);
  if (!url) throw new OutgoingError('the address cannot be read');
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new OutgoingError(`${url.protocol} is not http`);
  if (url.username !== '' || url.password !== '') throw new OutgoingError('the address carries credentials');
  return url;
}

async function* readBody(
  { body }: Response,
  encoding: string | null,
  maxBytes: number,
  signal: AbortSignal,
  toOutgoing: (error: unknown) => OutgoingError,
): AsyncGenerator<Buffer> {
  if (body === null) return;
  let received = 0;
  async function* counted(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
      received += chunk.length;
      if (chunk.length > 0) yield chunk;
    }
  }
  const source = counted(body);
  let size = 0;
  try {
    // What nobody can decode is read as it is.
    const decoded = decodeBody(source, encoding ?? undefined, MAX_ENCODINGS, signal) ?? source;
    // Leaving the loop cancels the body.
    for await (const chunk of decoded) {
      size += chunk.length;
      if (size > maxBytes) throw new OutgoingError(`the answer has more than ${maxBytes} bytes`);
      yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    }
  } catch (error) {
    // An empty body is empty, whatever its encoding; only what has begun can be cut off.
    const isEmpty = received === 0 && (error as { code?: unknown }).code === 'Z_BUF_ERROR';
    if (!isEmpty) throw toOutgoing(error);
  }
}

/** As `fetch` says: after such a redirect, a request is a GET without a body. */
function becomesGet(status: number, method: string): boolean {
  if (status === 303) return !/^(GET|HEAD)$/i.test(method);
  return (status === 301 || status === 302) && /^POST$/i.test(method);
}

function without(headers: Record<string, string>, names: RegExp): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.test(name)));
}

function only(headers: Record<string, string>, names: string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => names.includes(name.toLowerCase())));
}

const blocked = (place: string, port: number) =>
  new OutgoingError(`${place}, port ${port}, is not public and not allowed`, { isBlocked: true });

/** undici wraps the cause in "fetch failed". */
function rootCause(error: unknown): unknown {
  let inner = error;
  while (inner instanceof Error && inner.cause !== undefined) inner = inner.cause;
  return inner;
}

function reasonOf(cause: unknown): string {
  if (cause instanceof OutgoingError) return cause.reason;
  return cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
}

import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type {
  Client,
  ConnectOptions,
  DiscoverResult,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { AppError } from '../../infra/errors/app-error.ts';
import { GuardedHttp, OutgoingError } from '../../infra/outgoing/guarded-http.ts';
import { parseJson } from '../../infra/runtime/json.ts';
import { isRetriedStatus } from '../calls/tool-retries.ts';
import { Exchange, type ExchangeLimits, type McpServerAddress } from './guarded-fetch.ts';
import { UnreadableMessage } from './server-messages.ts';

export type Sdk = typeof import('@modelcontextprotocol/client');

/** What is known of a server after the first exchange, so that the next one needs no negotiation. */
type Known =
  | { era: 'modern'; discover: DiscoverResult }
  | { era: 'legacy'; session: { sessionId: string; protocolVersion: string } | null };

interface Facts {
  /** Sentences about what the server wanted in vain. */
  warnings: string[];
  /** Whether the server has said that its tools have changed. */
  hasChanges: boolean;
}

export interface McpSession extends Facts {
  client: Client;
  sdk: Sdk;
  exchange: Exchange;
}

export interface McpExchange extends ExchangeLimits {
  server: McpServerAddress;
  /** Whose session it is, and what authenticates it: a session is never used for anything else. */
  sessionKey: string;
  signal?: AbortSignal;
}

const CLIENT = { name: 'agent-platform', version: '1.0.0' };
const MODERN = '2026-07-28';
const MAX_KNOWN = 1_000;
const MAX_KNOWN_LENGTH = 16_384;
/** Servers keep sessions for longer, but nobody should rely on it. */
const KNOWN_MS = 30 * 60_000;
const SETTLE_MS = 1_000;
/** What servers say of a session that they do not know, before they have read the call. */
const UNKNOWN_SESSION = [400, 401, 404];
/** The codes that servers define, some of them for such a session. */
const isServerCode = (code: number) => code >= -32099 && code <= -32000;

/** The message for what is no answer of an MCP server. */
const NOT_MCP = 'The server of the tool does not follow the Model Context Protocol';

const ASKED_MEANWHILE =
  'The server asked a person something in the middle of the call, which only servers of the revision 2026-07-28 can. The question was cancelled';

/** The statuses that stand for errors of the protocol. */
const STATUSES = new Map([
  [-32602, 400],
  [-32601, 404],
]);
const UNSUPPORTED_VERSION = -32022;

/** The server has answered with an error of HTTP, or of the protocol. */
export class McpRefusal extends Error {
  override name = 'McpRefusal';

  constructor(
    readonly status: number,
    readonly output: unknown,
    readonly exchange: Exchange,
    /** Of the protocol; null: of HTTP. */
    readonly code: number | null = null,
  ) {
    super('The server refused the request');
  }

  get isHttp(): boolean {
    return this.code === null;
  }
}

/** Connects to MCP servers in any revision of the protocol, and remembers their sessions. */
@Injectable()
export class McpConnectorService {
  /** The most recently used last. */
  private readonly known = new Map<string, { value: Known; at: number }>();

  /** Loaded with the first call: most services have no tool of an MCP server. */
  private sdk: Promise<Sdk> | null = null;

  constructor(private readonly http: GuardedHttp) {}

  /**
   * Does work with a client of a server. If the server has forgotten the session, it is opened again, and the work is done
   * again in the time that is left: the server has not begun it. Throws what `work` throws, `McpRefusal`, `OutgoingError`,
   * TOOL_ERROR, and the reason of the signal.
   */
  async use<T>(made: McpExchange, work: (session: McpSession) => Promise<T>): Promise<T> {
    const sdk = await (this.sdk ??= import('@modelcontextprotocol/client'));
    const known = this.recall(made.sessionKey);
    const started = performance.now();
    if (known === null) return this.open(sdk, made, null, work);
    try {
      return await this.open(sdk, made, known, work);
    } catch (error) {
      if (mayBeForgotten(error)) this.known.delete(made.sessionKey);
      if (!isForgotten(error)) throw error;
      const timeoutMs = made.timeoutMs - (performance.now() - started);
      return this.open(sdk, { ...made, timeoutMs }, null, work);
    }
  }

  private async open<T>(
    sdk: Sdk,
    made: McpExchange,
    known: Known | null,
    work: (session: McpSession) => Promise<T>,
  ): Promise<T> {
    const exchange = new Exchange(this.http, made.server, made);
    const facts: Facts = { warnings: [], hasChanges: false };
    let client: Client | null = null;
    try {
      client = await exchange.within(this.connect(sdk, made, exchange, known, facts));
      return await exchange.within(work(Object.assign(facts, { client, sdk, exchange })));
    } catch (error) {
      made.signal?.throwIfAborted();
      throw toFailure(sdk, exchange, error);
    } finally {
      // A server of 2025 learns in a message of its own that a call was cancelled.
      await exchange.settle(SETTLE_MS);
      await client?.close();
    }
  }

  private async connect(
    sdk: Sdk,
    { server, sessionKey, signal }: McpExchange,
    exchange: Exchange,
    known: Known | null,
    facts: Facts,
  ): Promise<Client> {
    const url = new URL(server.url);
    const { fetch } = exchange;
    const options = () => ({ timeout: exchange.remainingMs, ...(signal && { signal }) });
    const transport = (more = {}) => new sdk.StreamableHTTPClientTransport(url, { fetch, ...more });
    if (known?.era === 'legacy') {
      return this.connectLegacy(sdk, sessionKey, transport(known.session ?? {}), options(), facts);
    }
    const modern = new sdk.Client(CLIENT, {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode: { pin: MODERN } },
    });
    watchChanges(modern, facts);
    if (known !== null) {
      await modern.connect(transport(), {
        ...options(),
        prior: { kind: 'modern', discover: known.discover },
      });
      return modern;
    }
    try {
      await modern.connect(transport(), options());
      const discover = modern.getDiscoverResult();
      if (discover !== undefined) this.remember(sessionKey, { era: 'modern', discover });
      return modern;
    } catch (error) {
      if (exchange.failure !== null || !isOtherEra(sdk, error)) throw error;
    }
    return this.connectLegacy(sdk, sessionKey, transport(), options(), facts);
  }

  private async connectLegacy(
    sdk: Sdk,
    key: string,
    transport: StreamableHTTPClientTransport,
    options: ConnectOptions,
    facts: Facts,
  ): Promise<Client> {
    const client = legacyClient(sdk, facts);
    await client.connect(transport, { ...options, prior: { kind: 'legacy' } });
    const { sessionId, protocolVersion } = transport;
    const session =
      sessionId === undefined || protocolVersion === undefined ? null : { sessionId, protocolVersion };
    this.remember(key, { era: 'legacy', session });
    return client;
  }

  private recall(key: string): Known | null {
    const entry = this.known.get(key);
    if (entry === undefined) return null;
    this.known.delete(key);
    if (performance.now() - entry.at > KNOWN_MS) return null;
    this.remember(key, entry.value);
    return entry.value;
  }

  private remember(key: string, value: Known): void {
    // Servers write what is kept here.
    if (JSON.stringify(value).length > MAX_KNOWN_LENGTH) return;
    this.known.set(key, { value, at: performance.now() });
    const [oldest] = this.known.keys();
    if (this.known.size > MAX_KNOWN && oldest !== undefined) this.known.delete(oldest);
  }
}

/** Servers of 2025 that ask in the middle of a call would wait for a person, so they are not told that anybody answers. */
function legacyClient(sdk: Sdk, facts: Facts): Client {
  const client = new sdk.Client(CLIENT, { capabilities: {}, versionNegotiation: { mode: 'legacy' } });
  client.fallbackRequestHandler = ({ method }) => {
    if (method !== 'elicitation/create')
      return Promise.reject(new sdk.ProtocolError(sdk.ProtocolErrorCode.MethodNotFound, 'Method not found'));
    if (!facts.warnings.includes(ASKED_MEANWHILE)) facts.warnings.push(ASKED_MEANWHILE);
    return Promise.resolve({ action: 'cancel' });
  };
  watchChanges(client, facts);
  return client;
}

function watchChanges(client: Client, facts: Facts): void {
  client.setNotificationHandler('notifications/tools/list_changed', () => {
    facts.hasChanges = true;
  });
}

/** Whether the server may speak an older revision. */
function isOtherEra(sdk: Sdk, error: unknown): boolean {
  // Some servers of 2025 fail at what comes before `initialize`.
  if (error instanceof sdk.SdkHttpError) return error.status === 500 || error.status === 501;
  const isSdkError = error instanceof sdk.SdkError;
  if (isSdkError && error.code === sdk.SdkErrorCode.EraNegotiationFailed) return true;
  return error instanceof sdk.UnsupportedProtocolVersionError;
}

/** Whether another session may help the next call: the server can have made this one. */
function mayBeForgotten(error: unknown): boolean {
  if (!(error instanceof McpRefusal)) return false;
  return error.code === null ? !isRetriedStatus(error.status) : isServerCode(error.code);
}

function isForgotten(error: unknown): boolean {
  if (!(error instanceof McpRefusal)) return false;
  return error.isHttp ? UNKNOWN_SESSION.includes(error.status) : error.code === UNSUPPORTED_VERSION;
}

/** What the client of the protocol throws for a body that is not JSON, or no message. */
function isNoMessage(error: unknown): boolean {
  return error instanceof SyntaxError || (error instanceof Error && /^\$?ZodError$/.test(error.name));
}

/** What a failed exchange means: the server refused it, there was no response, or none that can be used. */
function toFailure(sdk: Sdk, exchange: Exchange, error: unknown): unknown {
  const { failure } = exchange;
  if (error instanceof sdk.ProtocolError) {
    const { code, message, data } = error;
    const output = { code, message, ...(data !== undefined && { data }) };
    return new McpRefusal(STATUSES.get(code) ?? 500, output, exchange, code);
  }
  if (error instanceof sdk.SdkHttpError) {
    const { text } = error.data;
    return new McpRefusal(
      error.status,
      typeof text === 'string' ? (parseJson(text) ?? text) : null,
      exchange,
    );
  }
  if (failure instanceof UnreadableMessage) return new AppError('TOOL_ERROR', failure.message);
  if (failure !== null) return failure;
  if (isNoMessage(error)) return new AppError('TOOL_ERROR', NOT_MCP, { cause: error });
  if (!(error instanceof sdk.SdkError)) return error;
  if (error.code === sdk.SdkErrorCode.RequestTimeout || error.code === sdk.SdkErrorCode.ConnectionClosed)
    return new OutgoingError('the server did not answer in time', { cause: error });
  return new AppError('TOOL_ERROR', NOT_MCP, { cause: error });
}

/** A session belongs to what authenticates it and to one person. The secrets are in the hash alone. */
export function sessionKeyOf(
  { url, auth }: McpServerAddress,
  credentialsKey: string,
  userId: string,
): string {
  const parts = JSON.stringify([url, auth.headers, auth.query, auth.cookies, credentialsKey, userId]);
  return createHash('sha256').update(parts).digest('base64url');
}

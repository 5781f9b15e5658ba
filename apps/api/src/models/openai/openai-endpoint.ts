import type { Dispatcher } from 'undici';
import type { ExtraHeaders, OpenAiPath, OpenAiServer } from './openai-server.ts';
import type { CallLimits } from '../port/call-limits.ts';
import type { Secrets } from '../port/secrets.ts';
import type { ServerQuirks } from './server-quirks.ts';

/** A model can reason silently for minutes; OpenAI's clients allow as much. */
const HEADERS_TIMEOUT_MS = 600_000;

const IPV4 = /\b\d{1,3}(\.\d{1,3}){3}\b/;

/** A model server for calls that are forwarded unchanged. */
export class OpenAiEndpoint {
  readonly quirks: ServerQuirks;
  /** What is masked in its responses, as text and as bytes. */
  readonly secrets: { text: Secrets; bytes: Secrets };

  constructor(
    private readonly server: OpenAiServer,
    readonly limits: CallLimits,
  ) {
    this.quirks = server.quirks;
    this.secrets = { text: server.secrets, bytes: server.secrets.inBytes() };
  }

  /** Sends a body: JSON unless `headers` say otherwise. `handler` receives the response in chunks, and can pause or abort it. */
  post(
    path: OpenAiPath,
    body: string | Buffer,
    headers: ExtraHeaders,
    handler: Dispatcher.DispatchHandler,
  ): void {
    this.dispatch(this.server.post(path, body, headers), handler);
  }

  /** Sends a request for a stored response. `idAndRest` is a part of the address, so it must be safe there. */
  requestStored(
    method: 'GET' | 'POST' | 'DELETE',
    idAndRest: string,
    headers: ExtraHeaders,
    handler: Dispatcher.DispatchHandler,
  ): void {
    this.dispatch(this.server.stored(method, idAndRest, headers), handler);
  }

  private dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.server.dispatcher.dispatch(
      { ...options, headersTimeout: HEADERS_TIMEOUT_MS, bodyTimeout: this.limits.stallMs },
      handler,
    );
  }

  /** The same for all models at one address, whatever their keys, and does not reveal the address. */
  get serverId(): string {
    return this.server.id;
  }

  /** Whether callers may see a text of the server: it contains neither the key nor an address. */
  mayTell(text: string): boolean {
    const { hostname, secrets } = this.server;
    return !IPV4.test(text) && !text.includes(hostname) && !secrets.isIn(text);
  }
}

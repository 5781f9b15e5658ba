import type { Dispatcher } from 'undici';

export interface OpenAiServer {
  baseUrl: string;
  /** Null: the server asks for none. */
  apiKey: string | null;
  dispatcher: Dispatcher;
}

/** A model that reasons in silence may take its time, as OpenAI's own clients allow. */
const HEADERS_TIMEOUT_MS = 600_000;
const SILENCE_TIMEOUT_MS = 300_000;

const IPV4 = /\b\d{1,3}(\.\d{1,3}){3}\b/;

/** A model server for calls that are handed on as they are. Its key and address stay in here. */
export class OpenAiEndpoint {
  /** Learned from its refusals. */
  refusesStreamOptions = false;
  private readonly origin: string;
  private readonly basePath: string;
  private readonly headers: Record<string, string>;
  private readonly secrets: string[];

  constructor(private readonly server: OpenAiServer) {
    const { baseUrl, apiKey } = server;
    const { origin, pathname, hostname } = new URL(baseUrl);
    this.origin = origin;
    this.basePath = pathname.replace(/\/+$/, '');
    this.headers = {
      'Content-Type': 'application/json',
      Accept: 'application/json',
      // The answer is handed on as it is, and its figures must be read on the way.
      'Accept-Encoding': 'identity',
      ...(apiKey !== null && { Authorization: `Bearer ${apiKey}` }),
    };
    this.secrets = apiKey === null ? [hostname] : [hostname, apiKey];
  }

  /** Sends a JSON body; `handler` gets the answer piece by piece and may pause or abort it. */
  post(path: '/chat/completions' | '/embeddings', body: string, handler: Dispatcher.DispatchHandler): void {
    this.server.dispatcher.dispatch(
      {
        origin: this.origin,
        path: this.basePath + path,
        method: 'POST',
        headers: this.headers,
        body,
        headersTimeout: HEADERS_TIMEOUT_MS,
        bodyTimeout: SILENCE_TIMEOUT_MS,
      },
      handler,
    );
  }

  /** Whether a text of the server may be told to callers: it holds neither the key nor an address. */
  mayTell(text: string): boolean {
    return !IPV4.test(text) && !this.secrets.some((secret) => text.includes(secret));
  }
}

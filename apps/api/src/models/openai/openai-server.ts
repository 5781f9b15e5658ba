import type { Dispatcher } from 'undici';
import { Secrets } from '../port/secrets.ts';
import { ServerQuirks } from './server-quirks.ts';

export interface OpenAiServerOptions {
  baseUrl: string;
  /** Null if the server requires none. */
  apiKey: string | null;
  /** The guarded dispatcher, because users choose the address. */
  dispatcher: Dispatcher;
}

export type OpenAiPath = '/chat/completions' | '/embeddings' | '/responses';

/** A server that implements OpenAI's API. Nothing outside sees its key and address. */
export class OpenAiServer {
  readonly dispatcher: Dispatcher;
  readonly hostname: string;
  readonly secrets: Secrets;
  readonly quirks = new ServerQuirks();
  private readonly origin: string;
  private readonly basePath: string;
  private readonly headers: Record<string, string>;

  constructor({ baseUrl, apiKey, dispatcher }: OpenAiServerOptions) {
    const { origin, pathname, hostname } = new URL(baseUrl);
    this.dispatcher = dispatcher;
    this.hostname = hostname;
    this.secrets = Secrets.of(apiKey);
    this.origin = origin;
    this.basePath = pathname.replace(/\/+$/, '');
    this.headers = {
      'Content-Type': 'application/json',
      Accept: 'application/json',
      // A small compressed response can be very large when decompressed.
      'Accept-Encoding': 'identity',
      'User-Agent': 'platform',
      ...(apiKey !== null && { Authorization: `Bearer ${apiKey}` }),
    };
  }

  /** The options of a call with a JSON body. Redirects are not followed: they would send the prompt elsewhere. */
  post(path: OpenAiPath, body: string) {
    const { origin, headers } = this;
    return { origin, path: this.basePath + path, method: 'POST', headers, body } as const;
  }
}

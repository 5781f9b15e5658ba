import type { Dispatcher } from 'undici';
import { Secrets } from './secrets.ts';
import { ServerQuirks } from './server-quirks.ts';

export interface OpenAiServerOptions {
  baseUrl: string;
  /** Null: the server asks for none. */
  apiKey: string | null;
  /** How the server is reached: the guarded one, for users name the address. */
  dispatcher: Dispatcher;
}

export type OpenAiPath = '/chat/completions' | '/embeddings';

/** A server that speaks OpenAI's protocol. Its key and address stay in here. */
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
      // Compressed, a small answer can be a very large one.
      'Accept-Encoding': 'identity',
      'User-Agent': 'platform',
      ...(apiKey !== null && { Authorization: `Bearer ${apiKey}` }),
    };
  }

  /** A call with a JSON body, as undici sends it. Redirects are not followed: they would carry the prompt elsewhere. */
  post(path: OpenAiPath, body: string) {
    const { origin, headers } = this;
    return { origin, path: this.basePath + path, method: 'POST', headers, body } as const;
  }
}

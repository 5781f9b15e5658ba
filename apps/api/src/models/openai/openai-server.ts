import { createHash } from 'node:crypto';
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

export type OpenAiPath =
  '/audio/speech' | '/audio/transcriptions' | '/chat/completions' | '/embeddings' | '/rerank' | '/responses';

/** It has a list of its models only in its own API, which takes the key in another header. */
const ANTHROPIC = 'api.anthropic.com';

/** Headers of one request, besides those that every request has. */
export type ExtraHeaders = Record<string, string> | null;

/** A server that implements OpenAI's API. Nothing outside sees its key and address. */
export class OpenAiServer {
  readonly dispatcher: Dispatcher;
  readonly hostname: string;
  readonly secrets: Secrets;
  readonly quirks = new ServerQuirks();
  /** A hash of the address. */
  readonly id: string;
  private readonly origin: string;
  private readonly basePath: string;
  private readonly headers: Record<string, string>;
  private readonly apiKey: string | null;

  constructor({ baseUrl, apiKey, dispatcher }: OpenAiServerOptions) {
    const { origin, pathname, hostname } = new URL(baseUrl);
    this.dispatcher = dispatcher;
    this.hostname = hostname;
    this.apiKey = apiKey;
    this.secrets = Secrets.of(apiKey);
    this.origin = origin;
    this.basePath = pathname.replace(/\/+$/, '');
    this.id = createHash('sha256')
      .update(this.origin + this.basePath)
      .digest('base64url');
    this.headers = {
      'Content-Type': 'application/json',
      Accept: 'application/json',
      // A small compressed response can be very large when decompressed.
      'Accept-Encoding': 'identity',
      'User-Agent': 'platform',
      ...(apiKey !== null && { Authorization: `Bearer ${apiKey}` }),
    };
  }

  /**
   * The options of a call with a body: JSON unless `extra` says otherwise. Redirects are not followed: they would send the
   * prompt elsewhere.
   */
  post(path: OpenAiPath, body: string | Buffer, extra: ExtraHeaders = null) {
    const { origin } = this;
    const headers = extra === null ? this.headers : { ...this.headers, ...extra };
    return { origin, path: this.basePath + path, method: 'POST', headers, body } as const;
  }

  /** The options of a call for the list of models. */
  models() {
    const { origin, basePath, hostname, apiKey } = this;
    if (hostname !== ANTHROPIC || apiKey === null)
      return { origin, path: `${basePath}/models`, method: 'GET', headers: this.headers } as const;
    const { Authorization: _, ...others } = this.headers;
    const headers = { ...others, 'X-Api-Key': apiKey, 'Anthropic-Version': '2023-06-01' };
    return { origin, path: `${basePath}/models?limit=1000`, method: 'GET', headers } as const;
  }

  /** The options of a call for a stored response: its id, and what may follow. */
  stored(method: 'GET' | 'POST' | 'DELETE', idAndRest: string, extra: ExtraHeaders) {
    const { origin, basePath } = this;
    const headers = { ...this.headers, ...extra };
    // Without a body, servers that expect JSON may reject the declared type.
    const body = method === 'POST' ? '{}' : null;
    return { origin, path: `${basePath}/responses/${idAndRest}`, method, headers, body } as const;
  }
}

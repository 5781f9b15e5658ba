import type { Canaries } from './canaries.ts';
import { readText } from './read-text.ts';

export interface RecordedCall<Body> {
  status: number;
  body: Body;
  text: string;
}

interface CallOptions {
  /** The credential. Default: that of the recorder. */
  as?: string | null;
  body?: unknown;
  /** Sent in place of `body`. */
  form?: Record<string, string>;
  headers?: Record<string, string>;
  /** Secrets that this response shows on purpose: their names, and where they are. */
  shows?: Record<string, (body: never, headers: Headers) => string | undefined>;
}

/** Calls a service and keeps everything that it responds, except for secrets that a response shows on purpose. */
export class Recorder {
  credential: string | null = null;
  readonly responses: { call: string; text: string }[] = [];

  constructor(
    private readonly url: string,
    private readonly canaries: Canaries,
  ) {}

  async call<Body = Record<string, unknown>>(
    method: string,
    path: string,
    { as = this.credential, body, form, headers = {}, shows = {} }: CallOptions = {},
  ): Promise<RecordedCall<Body>> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        ...(as !== null && { Authorization: `Bearer ${as}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(form && { body: new URLSearchParams(form) }),
    });
    const text = await readText(response, path);
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    const parsed: unknown = isJson ? JSON.parse(text) : undefined;
    const head = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
    let recorded = `${head}\n\n${text}`;
    for (const [name, find] of Object.entries(shows)) {
      const secret = find(parsed as never, response.headers);
      if (secret === undefined)
        throw new Error(`${method} ${path} shows no ${name}: ${response.status} ${text}`);
      this.canaries.learn(name, secret);
      recorded = recorded.replaceAll(secret, '');
    }
    this.responses.push({ call: `${method} ${path}`, text: recorded });
    return { status: response.status, body: parsed as Body, text };
  }
}

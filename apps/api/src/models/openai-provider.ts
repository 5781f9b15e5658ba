import OpenAI, { APIConnectionError, type APIError, type ClientOptions } from 'openai';
import { fetch as undiciFetch, type Dispatcher } from 'undici';
import { delay } from './delay.ts';
import { IdleTimer } from './idle-timer.ts';
import { ProviderError, type ModelDelta, type ModelProvider, type ModelRequest } from './model-provider.ts';
import { ChunkReader } from './openai-chunks.ts';
import { asApiError, readRetryAfter, toProviderError } from './openai-errors.ts';
import { learn, toOpenAi, type ServerLimits } from './openai-request.ts';
import { reusable } from './reusable-response.ts';

export interface OpenAiProviderOptions {
  baseUrl: string;
  /** Null: the server asks for none. */
  apiKey: string | null;
  /** How the server is reached; the guarded one for addresses that users name. */
  dispatcher?: Dispatcher;
  /** Milliseconds without a byte after which the call is given up. */
  idleTimeoutMs?: number;
}

const fetchByUndici = undiciFetch as unknown as typeof fetch;

const TRIES = 2;
const RETRY_DELAY_MS = 300;
const MAX_RETRY_AFTER_SECONDS = 10;

/** Speaks to every server that knows OpenAI's chat completions. Keep one per server: it remembers what that refuses. */
export class OpenAiProvider implements ModelProvider {
  private readonly client: OpenAI;
  private readonly idleTimeoutMs: number;
  private readonly limits: ServerLimits = { noStreamOptions: false, newMaxTokens: false };

  constructor({ baseUrl, apiKey, dispatcher, idleTimeoutMs = 60_000 }: OpenAiProviderOptions) {
    this.idleTimeoutMs = idleTimeoutMs;
    this.client = new OpenAI({
      baseURL: baseUrl,
      apiKey: apiKey ?? 'none',
      ...(apiKey === null && { defaultHeaders: { Authorization: null } }),
      // The client would take these from the environment, for every server alike.
      organization: null,
      project: null,
      webhookSecret: null,
      adminAPIKey: null,
      logLevel: 'off',
      maxRetries: 0,
      // Node's own fetch and an agent of another undici do not fit together.
      fetch: async (url, init) => reusable(await fetchByUndici(url, init)),
      // A redirect would carry the prompt to where nobody sent it.
      fetchOptions: {
        redirect: 'manual',
        ...(dispatcher && { dispatcher }),
      } as ClientOptions['fetchOptions'],
    });
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelDelta> {
    signal.throwIfAborted();
    const upstream = new AbortController();
    const abort = () => {
      upstream.abort();
    };
    signal.addEventListener('abort', abort);
    const idle = new IdleTimer(this.idleTimeoutMs, abort);
    const reader = new ChunkReader();
    let ended = false;
    try {
      idle.wait();
      const chunks = (await this.open(request, upstream.signal, idle))[Symbol.asyncIterator]();
      for (;;) {
        idle.wait();
        const next: IteratorResult<unknown, unknown> = await chunks.next();
        idle.rest();
        ended = next.done === true;
        if (ended) break;
        for (const delta of reader.read(next.value)) yield delta;
      }
    } catch (error) {
      // An abort ends the client's iterator in either way; what it means is said below.
      if (!upstream.signal.aborted && !reader.finished) throw toProviderError(error);
    } finally {
      idle.stop();
      signal.removeEventListener('abort', abort);
      if (!ended) upstream.abort();
    }
    signal.throwIfAborted();
    if (idle.expired && !reader.finished) {
      throw new ProviderError('timeout', "The model's server stayed silent for too long.");
    }
    for (const delta of reader.end()) yield delta;
  }

  /** Opens the answer. Tries again only here, before a byte of it has come. */
  private async open(request: ModelRequest, signal: AbortSignal, idle: IdleTimer) {
    for (let tries = 1; ;) {
      const body = toOpenAi(request, this.limits);
      try {
        return await this.client.chat.completions.create(body, { signal });
      } catch (error) {
        if (isRefusal(error) && learn(this.limits, body, error.message)) continue;
        const wait = tries++ < TRIES ? retryDelay(error) : null;
        if (wait === null || signal.aborted) throw error;
        idle.rest();
        await delay(wait, signal);
        idle.wait();
      }
    }
  }
}

function isRefusal(error: unknown): error is APIError {
  const status = asApiError(error)?.status;
  return status === 400 || status === 422;
}

/** Milliseconds; null where a second try is of no use, or the server asks for more patience than a caller has. */
function retryDelay(error: unknown): number | null {
  if (error instanceof APIConnectionError) return RETRY_DELAY_MS;
  const { status, headers } = asApiError(error) ?? {};
  if (status === undefined || (status !== 429 && status !== 408 && status < 500)) return null;
  const seconds = readRetryAfter(headers, Date.now()) ?? RETRY_DELAY_MS / 1_000;
  return seconds <= MAX_RETRY_AFTER_SECONDS ? seconds * 1_000 : null;
}

import type { ChangeEvent } from '@platform/contracts';
import { PlatformConnectionError } from './errors.ts';
import type { HttpClient } from './http.ts';
import { Retry } from './retry.ts';
import type { RetryOptions } from './retry.ts';
import { SseParser } from './sse-parser.ts';

export interface FollowOptions extends Pick<RetryOptions, 'reconnect'> {
  /** Ends the stream. */
  signal?: AbortSignal | undefined;
  /** The position of an earlier stream, from `onPosition`. */
  position?: string | undefined;
  /** Called with the position from which another stream can continue within ten minutes. */
  onPosition?: ((position: string) => void) | undefined;
  /** Called when the stream begins, when its connection is lost, and when it continues. */
  onConnection?: ((isConnected: boolean) => void) | undefined;
  /** Milliseconds without data after which the connection is considered lost. Heartbeats arrive every 10 s. Default 30,000. */
  idleTimeoutMs?: number | undefined;
}

const IDLE_TIMEOUT_MS = 30_000;

/** What changes in the space. */
export class ChangesResource {
  private readonly http: HttpClient;
  private readonly retry: RetryOptions;

  constructor(http: HttpClient, retry: RetryOptions) {
    this.http = http;
    this.retry = retry;
  }

  /**
   * Yields what changes in the space, as far as the caller may see it, until the signal aborts. Reconnects whenever the connection is
   * lost, and continues where it was; after a `reset`, whatever was read before may be outdated. Throws if the service refuses.
   */
  async *follow(options: FollowOptions = {}): AsyncGenerator<ChangeEvent, void, undefined> {
    const { signal, reconnect, onConnection } = options;
    const retry = new Retry({ ...this.retry, reconnect: { attempts: Infinity, ...reconnect } });
    const place = { position: options.position ?? '' };
    const isAborted = () => signal?.aborted === true;
    for (let failures = 0; !isAborted();) {
      let failure: unknown = null;
      try {
        const response = await this.http.open({
          method: 'GET',
          path: '/api/changes',
          signal,
          timeoutMs: options.idleTimeoutMs ?? IDLE_TIMEOUT_MS,
          headers: {
            Accept: 'text/event-stream',
            ...(place.position !== '' && { 'Last-Event-ID': place.position }),
          },
        });
        failures = 0;
        onConnection?.(true);
        yield* this.read(response, place, options, retry);
        failures = 1;
      } catch (error) {
        if (isAborted()) return;
        if (!retry.isTransient(error) || !retry.allows(++failures)) throw error;
        failure = error;
      }
      if (isAborted()) return;
      onConnection?.(false);
      await retry.wait(failures, failure, signal).catch(() => undefined);
    }
  }

  private async *read(
    response: Response,
    place: { position: string },
    { signal, onPosition, idleTimeoutMs = IDLE_TIMEOUT_MS }: FollowOptions,
    { timer }: Retry,
  ): AsyncGenerator<ChangeEvent, void, undefined> {
    const reader = response.body?.getReader();
    if (reader === undefined) throw new PlatformConnectionError('The stream of changes has no body');
    const parser = new SseParser();
    const close = () => void reader.cancel().catch(() => undefined);
    signal?.addEventListener('abort', close);
    try {
      for (;;) {
        const stopTimer = timer.after(idleTimeoutMs, close);
        const { value, done } = await reader.read().finally(stopTimer);
        if (done || signal?.aborted === true) return;
        for (const { data } of parser.push(value)) yield JSON.parse(data) as ChangeEvent;
        if (parser.lastId === place.position || parser.lastId === '') continue;
        place.position = parser.lastId;
        onPosition?.(place.position);
      }
    } catch (cause) {
      throw new PlatformConnectionError('The stream of changes was lost', { cause });
    } finally {
      signal?.removeEventListener('abort', close);
      close();
    }
  }
}

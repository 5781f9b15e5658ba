import type { EmitRequest, EmitResponse } from '@platform/contracts';
import { HttpClient } from './http.ts';
import type { RequestOptions } from './http.ts';
import { sendEvent } from './resources/events.ts';
import { DEFAULT_MAX_RETRIES } from './retry.ts';
import { systemTimer } from './timer.ts';
import type { Timer } from './timer.ts';

export interface EmitSettings extends RequestOptions {
  /** Base URL of the service. */
  baseUrl: string;
  /** The system key of the application that emits the event. */
  systemKey: string;
  fetch?: typeof fetch | undefined;
  timer?: Timer | undefined;
  /** Returns a number from 0 (inclusive) to 1 (exclusive), used as jitter. */
  random?: (() => number) | undefined;
}

/**
 * Emits an event of an application without a PlatformClient. With an `idempotencyKey` the request is retried, because a
 * repeated key records nothing. Without one, an error can mean that the event was recorded although the response was lost.
 */
export async function emitManagedEvent(
  { baseUrl, systemKey, fetch: send, timer = systemTimer, random = Math.random, ...options }: EmitSettings,
  event: EmitRequest,
): Promise<EmitResponse> {
  if ('window' in globalThis && 'document' in globalThis) {
    throw new TypeError(
      'A system key must not be used in a browser, because everyone who opens the page can read it.',
    );
  }
  const http = new HttpClient({
    credential: () => systemKey,
    baseUrl: baseUrl.replace(/\/+$/, ''),
    fetch: send ?? ((input, init) => fetch(input, init)),
    headers: {},
    timeoutMs: 60_000,
    maxRetries: DEFAULT_MAX_RETRIES,
    timer,
    random,
  });
  return sendEvent(http, event, options);
}

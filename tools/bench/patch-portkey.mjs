// Preloaded into Portkey's gateway, whose 1.15.2 answers every call with 500 beside the @hono/node-server of the lock:
// it changes headers that this takes over from fetch, where they are immutable. Copying them, as older ones did, mends it.
/* global Response, Headers */
import { getRequestListener } from '@hono/node-server';

const FetchResponse = globalThis.Response;
// Puts its own Response in the global one's place, once.
getRequestListener(() => new Response());
const HonoResponse = globalThis.Response;

class MendedResponse extends HonoResponse {
  constructor(body, init) {
    super(
      body,
      init instanceof FetchResponse ? { status: init.status, headers: new Headers(init.headers) } : init,
    );
  }
}

Object.defineProperty(globalThis, 'Response', { value: MendedResponse, configurable: true, writable: true });

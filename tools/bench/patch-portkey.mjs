// Preloaded into Portkey's gateway. With the installed @hono/node-server, version 1.15.2 responds to every call with 500:
// it modifies the headers of fetch responses, which are immutable. Copying the headers fixes this.
/* global Response, Headers */
import { getRequestListener } from '@hono/node-server';

const FetchResponse = globalThis.Response;
// Replaces the global Response once.
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

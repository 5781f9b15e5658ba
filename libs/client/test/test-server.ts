import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface SeenRequest {
  method: string;
  url: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: unknown;
}

export type Handler = (request: SeenRequest, response: ServerResponse) => void | Promise<void>;

/** An HTTP server on a free port. Tests can replace `handle`; `seen` contains all requests. */
export class TestServer {
  readonly seen: SeenRequest[] = [];
  handle: Handler = (_, response) =>
    answer(response, 500, { success: false, code: 'SERVER_ERROR', message: '' });
  private readonly server = createServer((incoming, response) => void this.take(incoming, response));

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async start(): Promise<this> {
    await new Promise<void>((done) => this.server.listen(0, '127.0.0.1', done));
    return this;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }

  private async take(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const raw = await text(incoming);
    const url = new URL(incoming.url ?? '/', 'http://localhost');
    const request: SeenRequest = {
      method: incoming.method ?? '',
      url: incoming.url ?? '',
      path: url.pathname,
      query: url.searchParams,
      headers: incoming.headers,
      body: raw === '' ? undefined : JSON.parse(raw),
    };
    this.seen.push(request);
    await this.handle(request, response);
  }
}

export function answer(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
}

export function startStream(response: ServerResponse, headers = {}): void {
  response.writeHead(200, {
    'Content-Type': 'text/event-stream',
    'X-Platform-Stream-Protocol': 'langgraph-v3',
    'X-Request-Id': 'req-1',
    ...headers,
  });
  response.flushHeaders();
}

/** Flushes the written bytes, then cuts the connection. */
export async function cut(response: ServerResponse): Promise<void> {
  const { socket } = response;
  // The written bytes must have left the process before the socket is destroyed.
  await new Promise<void>((sent) => response.write('', () => sent()));
  socket?.destroy();
}

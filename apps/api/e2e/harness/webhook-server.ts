import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { WebhookMessage } from '@platform/contracts';
import { KEPT_ALIVE } from '../fixtures/kept-alive.ts';

export interface WebhookCall {
  headers: IncomingHttpHeaders;
  body: string;
  message: WebhookMessage;
}

/** Takes webhooks, each path on its own; a path may refuse its first calls. */
export class WebhookServer {
  private readonly calls = new Map<string, WebhookCall[]>();
  private readonly refusals = new Map<string, number[]>();
  private readonly silent = new Set<string>();
  private readonly endless = new Set<string>();
  private readonly responses = new Map<string, { status: number; body: string | Buffer }>();
  private readonly moved = new Map<string, string>();
  private readonly server = createServer(KEPT_ALIVE, (req, res) => {
    const parts: Buffer[] = [];
    req.on('data', (part: Buffer) => parts.push(part));
    req.on('end', () => {
      const path = req.url ?? '/';
      const body = Buffer.concat(parts).toString('utf8');
      const call = { headers: req.headers, body, message: JSON.parse(body) as WebhookMessage };
      this.calls.set(path, [...this.of(path), call]);
      if (this.silent.has(path)) return;
      if (this.endless.has(path)) return void res.writeHead(200).write('Thank you');
      const response = this.responses.get(path);
      if (response !== undefined) return void res.writeHead(response.status).end(response.body);
      const location = this.moved.get(path);
      if (location !== undefined) res.writeHead(307, { Location: location }).end();
      else res.writeHead(this.refusals.get(path)?.shift() ?? 204).end();
    });
  });

  static async start(host = '127.0.0.1'): Promise<WebhookServer> {
    const webhooks = new WebhookServer();
    webhooks.server.listen(0, host);
    await once(webhooks.server, 'listening');
    return webhooks;
  }

  url(path: string): string {
    const { address, port } = this.server.address() as AddressInfo;
    return `http://${address}:${port}${path}`;
  }

  /** Answers the calls of the path with a redirect. */
  redirect(path: string, location: string): void {
    this.moved.set(path, location);
  }

  /** Answers all calls of the path in this way. */
  respond(path: string, status: number, body: string | Buffer = ''): void {
    this.responses.set(path, { status, body });
  }

  /** Takes the calls of the path and never answers. */
  hang(path: string): void {
    this.silent.add(path);
  }

  /** Accepts the calls of the path, with a response that never ends. */
  keepTalking(path: string): void {
    this.endless.add(path);
  }

  /** Answers the next calls of the path with these statuses. */
  refuse(path: string, ...statuses: number[]): void {
    this.refusals.set(path, statuses);
  }

  /** The calls of the path so far, in their order. */
  of(path: string): WebhookCall[] {
    return this.calls.get(path) ?? [];
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}

import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KEPT_ALIVE } from '../fixtures/kept-alive.ts';

interface SitePage {
  status?: number;
  type?: string;
  body?: string | Buffer;
  headers?: Record<string, string>;
}

/** A web site whose pages a test changes. It notes its requests, and how many there were at the same time. */
export class WebSite {
  readonly pages = new Map<string, SitePage | (() => SitePage)>();
  readonly requests: { path: string; headers: IncomingHttpHeaders }[] = [];
  most = 0;
  private open = 0;
  private readonly server = createServer(KEPT_ALIVE, (req, res) => {
    const path = req.url ?? '/';
    this.requests.push({ path, headers: req.headers });
    this.most = Math.max(this.most, ++this.open);
    res.on('close', () => this.open--);
    const made = this.pages.get(path);
    const page = typeof made === 'function' ? made() : made;
    const { status = 200, type = 'text/html', body = '', headers = {} } = page ?? { status: 404 };
    res.writeHead(status, { 'Content-Type': type, ...headers }).end(body);
  });

  static async start(): Promise<WebSite> {
    const site = new WebSite();
    site.server.listen(0, '127.0.0.1');
    await once(site.server, 'listening');
    return site;
  }

  url(path: string): string {
    const { port } = this.server.address() as AddressInfo;
    return `http://127.0.0.1:${port}${path}`;
  }

  html(path: string, title: string, text: string, headers: Record<string, string> = {}): void {
    this.pages.set(path, { body: `<title>${title}</title><h1>${title}</h1><p>${text}</p>`, headers });
  }

  sitemap(path: string, pages: readonly string[], isIndex = false): void {
    const [root, entry] = isIndex ? ['sitemapindex', 'sitemap'] : ['urlset', 'url'];
    const urls = pages.map((page) => (page.startsWith('/') ? this.url(page) : page));
    const entries = urls.map((url) => `<${entry}><loc>${url}</loc></${entry}>`).join('');
    this.pages.set(path, { type: 'application/xml', body: `<${root}>${entries}</${root}>` });
  }

  /** The paths that were requested since the last call. */
  takePaths(): string[] {
    return this.requests.splice(0).map(({ path }) => path);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}

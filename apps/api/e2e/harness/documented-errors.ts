import { readFileSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { RouteTableRegistry } from '../../src/infra/routes/route-table.registry.ts';

type Operations = Record<string, { responses: Record<string, unknown> }>;

const FILE = join(import.meta.dirname, '../../../../docs/openapi.json');
const { paths } = JSON.parse(readFileSync(FILE, 'utf8')) as { paths: Record<string, Operations> };

/** Compares every error status that the service sends with those that the API document states for the operation. */
export class DocumentedErrors {
  private readonly missing = new Set<string>();

  constructor(
    server: Server,
    private readonly routes: RouteTableRegistry,
  ) {
    server.prependListener('request', (req: IncomingMessage, res: ServerResponse) => {
      const { method = '', url = '' } = req;
      res.on('finish', () => this.compare(method, url, res.statusCode));
    });
  }

  /** Throws if the document lacks one of them. */
  assertComplete(): void {
    if (this.missing.size === 0) return;
    throw new Error(`The API document lacks errors that were sent: ${[...this.missing].join(', ')}`);
  }

  private compare(method: string, url: string, status: number): void {
    if (status < 400) return;
    const route = this.routes.find(method, url.replace(/\?.*/s, ''));
    const path = route?.path.replaceAll(/:(\w+)/g, '{$1}') ?? '';
    const documented = paths[path]?.[route?.method.toLowerCase() ?? '']?.responses;
    if (documented && !(status in documented)) this.missing.add(`${route?.method} ${path} ${status}`);
  }
}

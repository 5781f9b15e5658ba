import type { McpOffers, UpdateMcpOffersRequest } from '@platform/contracts';
import type { ApiPromise } from '../api-promise.ts';
import type { HttpClient, RequestOptions } from '../http.ts';

/** What the space offers to MCP clients. */
export class McpResource {
  private readonly http: HttpClient;

  constructor(http: HttpClient) {
    this.http = http;
  }

  /** Returns the agents, tasks, and tools that are offered, and the address for MCP clients. */
  getOffers(options?: RequestOptions): ApiPromise<McpOffers> {
    return this.http.get('/api/mcp/offers', {}, options);
  }

  /** Replaces what is offered. Only for admins. */
  updateOffers(request: UpdateMcpOffersRequest, options?: RequestOptions): ApiPromise<McpOffers> {
    return this.http.json({ ...options, method: 'PUT', path: '/api/mcp/offers', body: request });
  }
}

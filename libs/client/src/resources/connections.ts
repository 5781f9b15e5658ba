import type {
  AuthorizeConnectionRequest,
  AuthorizedConnection,
  Connection,
  ConnectionDetail,
  ConnectionPresets,
  ConnectionProvider,
  ConnectionQuery,
  ConnectionTest,
  CreateConnectionProviderRequest,
  CreateConnectionRequest,
  DiscoveredProvider,
  PageQuery,
  UpdateConnectionProviderRequest,
} from '@platform/contracts';
import type { ApiPromise, PagePromise } from '../api-promise.ts';
import type { HttpClient, RequestOptions } from '../http.ts';
import { path } from '../url.ts';

/** On whose behalf tools are called: connections of people and of the space, and what they connect to. */
export class ConnectionsResource {
  private readonly http: HttpClient;

  constructor(http: HttpClient) {
    this.http = http;
  }

  /** Lists the caller's own connections and those of the space, newest first. */
  list(query: ConnectionQuery = {}, options?: RequestOptions): PagePromise<Connection> {
    return this.http.list('/api/connections', { ...query }, options);
  }

  /** Returns a connection, and which tools would stop without it. */
  get(connectionId: string, options?: RequestOptions): ApiPromise<ConnectionDetail> {
    return this.http.get(path`/api/connections/${connectionId}`, {}, options);
  }

  /** Connects with a secret. A person's own connection with the provider is replaced. */
  create(request: CreateConnectionRequest, options?: RequestOptions): ApiPromise<Connection> {
    return this.http.post('/api/connections', request, options);
  }

  rename(connectionId: string, name: string, options?: RequestOptions): ApiPromise<Connection> {
    return this.http.patch(path`/api/connections/${connectionId}`, { name }, options);
  }

  /** Returns whether a tool could call with it now. */
  test(connectionId: string, options?: RequestOptions): ApiPromise<ConnectionTest> {
    return this.http.post(path`/api/connections/${connectionId}/test`, {}, options);
  }

  /** Revokes a connection, at the provider as well if it offers that. */
  revoke(connectionId: string, options?: RequestOptions): ApiPromise<void> {
    return this.http.delete(path`/api/connections/${connectionId}`, options);
  }

  /** Begins to sign in at a provider in this browser: open the `url`. Needs a signed-in person, not an API key. */
  authorize(request: AuthorizeConnectionRequest, options?: RequestOptions): ApiPromise<AuthorizedConnection> {
    return this.http.post('/api/connections/authorize', request, options);
  }

  /** What is known of servers that many connect to. */
  presets(options?: RequestOptions): ApiPromise<ConnectionPresets> {
    return this.http.get('/api/connections/presets', {}, options);
  }

  /** Finds out how people sign in at an MCP server or an authorization server. Only for admins. */
  discover(url: string, options?: RequestOptions): ApiPromise<DiscoveredProvider> {
    return this.http.post('/api/connections/discover', { url }, options);
  }

  listProviders(query: PageQuery = {}, options?: RequestOptions): PagePromise<ConnectionProvider> {
    return this.http.list('/api/connections/providers', { ...query }, options);
  }

  getProvider(providerId: string, options?: RequestOptions): ApiPromise<ConnectionProvider> {
    return this.http.get(path`/api/connections/providers/${providerId}`, {}, options);
  }

  /** Only for admins. */
  createProvider(
    request: CreateConnectionProviderRequest,
    options?: RequestOptions,
  ): ApiPromise<ConnectionProvider> {
    return this.http.post('/api/connections/providers', request, options);
  }

  /** Changes the given fields. Another server or client ends the connections. Only for admins. */
  updateProvider(
    providerId: string,
    changes: UpdateConnectionProviderRequest,
    options?: RequestOptions,
  ): ApiPromise<ConnectionProvider> {
    return this.http.patch(path`/api/connections/providers/${providerId}`, changes, options);
  }

  /** Revokes its connections. Throws CONFLICT while tools refer to it. Only for admins. */
  deleteProvider(providerId: string, options?: RequestOptions): ApiPromise<void> {
    return this.http.delete(path`/api/connections/providers/${providerId}`, options);
  }
}

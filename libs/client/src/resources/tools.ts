import type {
  McpOffers,
  UpdateMcpOffersRequest,
  ChangeToolMethodsRequest,
  CreateToolRequest,
  ImportToolRequest,
  InvokeToolRequest,
  SavedTool,
  SpeechToolConfiguration,
  Tool,
  ToolImport,
  ToolInvocation,
  ToolListing,
  ToolMethod,
  ToolMethodRequest,
  ToolQuery,
  UpdateSpeechToolRequest,
  UpdateToolMethodRequest,
  UpdateToolRequest,
} from '@platform/contracts';
import type { ApiPromise, PagePromise } from '../api-promise.ts';
import type { HttpClient, RequestOptions } from '../http.ts';
import { path, withIds } from '../url.ts';
import type { WithIds } from '../url.ts';

type SaveOptions = RequestOptions & { test?: boolean };

/** The tools of the space: HTTP APIs with their methods. The tools of the platform are listed with them. */
export class ToolsResource {
  private readonly http: HttpClient;

  constructor(http: HttpClient) {
    this.http = http;
  }

  /** Lists tools without their methods, newest first unless `sort` says otherwise. The tools of the platform are last. */
  list(query: WithIds<ToolQuery> = {}, options?: RequestOptions): PagePromise<ToolListing> {
    return this.http.list('/api/tools', withIds({ ...query }), options);
  }

  get(toolId: string, options?: RequestOptions): ApiPromise<Tool> {
    return this.http.get(path`/api/tools/${toolId}`, {}, options);
  }

  /** With `test`, also finds out whether the server responds; the tool is saved, whatever the result is. */
  create(tool: CreateToolRequest, { test, ...options }: SaveOptions = {}): ApiPromise<SavedTool> {
    return this.http.json({ ...options, method: 'POST', path: '/api/tools', query: { test }, body: tool });
  }

  /** Changes the given fields. An `auth` without its secret keeps the stored one. `test` as in `create`. */
  update(
    toolId: string,
    changes: UpdateToolRequest,
    { test, ...options }: SaveOptions = {},
  ): ApiPromise<SavedTool> {
    const query = { test };
    return this.http.json({
      ...options,
      method: 'PATCH',
      path: path`/api/tools/${toolId}`,
      query,
      body: changes,
    });
  }

  delete(toolId: string, options?: RequestOptions): ApiPromise<void> {
    return this.http.delete(path`/api/tools/${toolId}`, options);
  }

  /**
   * Asks an MCP server what it offers, and imports or approves the chosen tools. Without `methods` and `remove`, only compares.
   * Throws CONFLICT if the server offers something else than `hash` names.
   */
  importMcp(
    toolId: string,
    request: ImportToolRequest = {},
    options?: RequestOptions,
  ): ApiPromise<ToolImport> {
    return this.http.post(path`/api/tools/${toolId}/import`, request, options);
  }

  /** Adds methods: all of them or none. */
  addMethods(toolId: string, methods: ToolMethodRequest[], options?: RequestOptions): ApiPromise<Tool> {
    return this.http.post(path`/api/tools/${toolId}/methods`, { methods }, options);
  }

  /** Adds, changes, and removes methods together. Throws CONFLICT if the tool has changed since `updatedAt`. */
  changeMethods(
    toolId: string,
    changes: ChangeToolMethodsRequest,
    options?: RequestOptions,
  ): ApiPromise<Tool> {
    return this.http.patch(path`/api/tools/${toolId}/methods`, changes, options);
  }

  updateMethod(
    toolId: string,
    method: string,
    changes: UpdateToolMethodRequest,
    options?: RequestOptions,
  ): ApiPromise<ToolMethod> {
    return this.http.patch(path`/api/tools/${toolId}/methods/${method}`, changes, options);
  }

  deleteMethod(toolId: string, method: string, options?: RequestOptions): ApiPromise<void> {
    return this.http.delete(path`/api/tools/${toolId}/methods/${method}`, options);
  }

  /** Calls a method. Every HTTP response is a result. Throws TOOL_ERROR if there is no complete response. */
  invoke(
    toolId: string,
    method: string,
    request: InvokeToolRequest = {},
    options?: RequestOptions,
  ): ApiPromise<ToolInvocation> {
    return this.http.post(path`/api/tools/${toolId}/methods/${method}/invoke`, request, options);
  }

  /** Returns the configuration of speech recognition, without its credentials. */
  getSpeech(options?: RequestOptions): ApiPromise<SpeechToolConfiguration> {
    return this.http.get('/api/tools/speech', {}, options);
  }

  /** Replaces the configuration of speech recognition. Credentials that are left out are kept. */
  updateSpeech(
    configuration: UpdateSpeechToolRequest,
    options?: RequestOptions,
  ): ApiPromise<SpeechToolConfiguration> {
    return this.http.json({
      ...options,
      method: 'PUT',
      path: '/api/tools/speech',
      body: configuration,
    });
  }
}

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

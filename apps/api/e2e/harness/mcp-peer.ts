import { Client, StreamableHTTPClientTransport, type CallToolResult } from '@modelcontextprotocol/client';
import type { JsonValue } from '@modelcontextprotocol/ext-tasks/core';
import type { ErrorV2 } from '@modelcontextprotocol/ext-tasks/core/v2';
import { createTaskSessionFromClient, type WithTasksOptions } from '@modelcontextprotocol/ext-tasks/client';

const REVISION = '2026-07-28';
const TASKS = 'io.modelcontextprotocol/tasks';
const META = 'io.modelcontextprotocol/';
const CLIENT = { name: 'test', version: '1.0.0' };
/** The field of the parameters that the header `Mcp-Name` repeats. */
const NAMED_BY = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' } as Record<
  string,
  string
>;

interface RpcError {
  code: number;
  message: string;
  data?: unknown;
}

interface RpcResponse<Result> {
  status: number;
  result?: Result;
  error?: RpcError;
}

export interface DetailedTask {
  taskId: string;
  status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';
  statusMessage?: string;
  resultType?: string;
  pollIntervalMs?: number;
  ttlMs: number | null;
  inputRequests?: Record<string, { method: string; params: { message: string } }>;
  result?: CallToolResult;
}

interface PeerOptions {
  /** Of the MCP server of a space. */
  url: string;
  apiKey: string;
  capabilities?: Record<string, unknown>;
}

/** A client of the revision 2026-07-28 that sends its messages itself, with the tasks extension by default. */
export class McpPeer {
  private id = 0;

  constructor(readonly options: PeerOptions) {}

  /** Sends a request and returns its response, also if it is an error. */
  async send<Result>(
    method: string,
    params: Record<string, unknown> = {},
    signal?: AbortSignal,
  ): Promise<RpcResponse<Result>> {
    const { _meta: meta, ...others } = params;
    const body = {
      jsonrpc: '2.0' as const,
      id: ++this.id,
      method,
      params: { ...others, _meta: { ...(meta as object | undefined), ...this.envelope() } },
    };
    return this.post<Result>(body, signal);
  }

  /** The result of a request; throws its error. */
  async request<Result>(method: string, params: Record<string, unknown> = {}): Promise<Result> {
    const { result, error, status } = await this.send<Result>(method, params);
    if (result === undefined) throw new Error(error?.message ?? `HTTP ${status}`);
    return result;
  }

  call(
    name: string,
    input: Record<string, unknown>,
    meta: Record<string, unknown> = {},
  ): Promise<DetailedTask & CallToolResult> {
    return this.request('tools/call', { name, arguments: input, _meta: meta });
  }

  get(taskId: string): Promise<DetailedTask> {
    return this.request('tasks/get', { taskId });
  }

  /** Sends a message as it is. */
  async post<Result>(
    body: { jsonrpc: '2.0'; id?: number; method: string; params?: Record<string, unknown> },
    signal?: AbortSignal,
  ): Promise<RpcResponse<Result>> {
    const { method, params } = body;
    const name = params?.[method.startsWith('tasks/') ? 'taskId' : (NAMED_BY[method] ?? '')];
    const response = await fetch(this.options.url, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${this.options.apiKey}`,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'Mcp-Protocol-Version': REVISION,
        'Mcp-Method': method,
        ...(typeof name === 'string' && { 'Mcp-Name': name }),
      },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    });
    const text = await response.text();
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
    const last = isStream
      ? (text.split('\n').findLast((line) => line.startsWith('data: ')) ?? '').slice(6)
      : text;
    return { status: response.status, ...(JSON.parse(last) as object) };
  }

  private envelope(): Record<string, unknown> {
    return {
      [`${META}protocolVersion`]: REVISION,
      [`${META}clientInfo`]: CLIENT,
      [`${META}clientCapabilities`]: this.capabilities,
    };
  }

  private get capabilities(): Record<string, unknown> {
    return this.options.capabilities ?? { elicitation: {}, extensions: { [TASKS]: {} } };
  }

  /** The official client of the extension, on the official client. */
  async openSession(onInputRequest: WithTasksOptions['onInputRequest']): Promise<{
    session: ReturnType<typeof createTaskSessionFromClient>;
    client: Client;
  }> {
    const { url, apiKey } = this.options;
    const capabilities = { elicitation: {}, extensions: { [TASKS]: {} } };
    const client = new Client(CLIENT, { capabilities, versionNegotiation: { mode: { pin: REVISION } } });
    const headers = { Authorization: `Bearer ${apiKey}` };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
    const session = createTaskSessionFromClient(client, {
      endpointId: 'platform',
      ...(onInputRequest && { onInputRequest }),
      // The SDK reads no results of the extension: its messages are sent here.
      rawDispatch: async (message) => {
        const sent = message as unknown as { method: string; params?: Record<string, unknown> };
        const { result, error } = await this.post<JsonValue>({ ...sent, jsonrpc: '2.0', id: ++this.id });
        if (error !== undefined) return { kind: 'error', error: error as ErrorV2 };
        return { kind: 'result', result: result ?? null };
      },
      v2RequestFraming: {
        protocolVersion: REVISION,
        clientInfo: CLIENT,
        clientCapabilities: capabilities,
      },
    });
    return { session, client };
  }
}

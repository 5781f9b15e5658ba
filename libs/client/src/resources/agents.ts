import type {
  Agent,
  AgentAccess,
  AgentListing,
  AgentVersion,
  ChatAnswer,
  ChatRequest,
  CreateAgentRequest,
  Message,
  Page,
  PageQuery,
  Session,
  Turn,
  UpdateAgentRequest,
} from '@platform/contracts';
import type { HttpClient, RequestOptions } from '../http.ts';
import { AgentStreamClient } from '../stream-client.ts';
import type { AgentStream, StreamOptions, StreamSource } from '../stream-client.ts';
import { path } from '../url.ts';
import { randomUuid } from '../uuid.ts';

export interface AgentListQuery extends PageQuery {
  /** Only agents that the caller may invoke. */
  accessibleOnly?: boolean;
}

export interface AttachPosition {
  /** None: the turn's latest. */
  segment?: number;
  /** `seq` of the last frame already seen; none: from the segment's start. */
  after?: number;
}

/** Agents, their sessions and their turns. */
export class AgentsResource {
  private readonly http: HttpClient;
  private readonly streamOptions: StreamOptions;

  constructor(http: HttpClient, streamOptions: StreamOptions) {
    this.http = http;
    this.streamOptions = streamOptions;
  }

  /** Whole agents where the caller may see all of them, else what everybody in the space sees. */
  list(query: AgentListQuery = {}, options?: RequestOptions): Promise<Page<Agent | AgentListing>> {
    return this.http.get('/api/agents', { ...query }, options);
  }

  get(agentId: string, options?: RequestOptions): Promise<Agent | AgentListing> {
    return this.http.get(path`/api/agents/${agentId}`, {}, options);
  }

  create(agent: CreateAgentRequest, options?: RequestOptions): Promise<Agent> {
    return this.http.post('/api/agents', agent, options);
  }

  /** Changes the given fields; with `version`, only if that is still the present one (409). */
  update(agentId: string, changes: UpdateAgentRequest, options?: RequestOptions): Promise<Agent> {
    return this.http.patch(path`/api/agents/${agentId}`, changes, options);
  }

  delete(agentId: string, options?: RequestOptions): Promise<void> {
    return this.http.delete(path`/api/agents/${agentId}`, options);
  }

  /** Who may call the agent, and by which rule; `userId` asks about one user. */
  access(agentId: string, query: { userId?: string } = {}, options?: RequestOptions): Promise<AgentAccess> {
    return this.http.get(path`/api/agents/${agentId}/access`, query, options);
  }

  versions(agentId: string, query: PageQuery = {}, options?: RequestOptions): Promise<Page<AgentVersion>> {
    return this.http.get(path`/api/agents/${agentId}/versions`, { ...query }, options);
  }

  /** Makes an earlier version the newest again. */
  restoreVersion(agentId: string, version: number, options?: RequestOptions): Promise<Agent> {
    return this.http.post(path`/api/agents/${agentId}/versions/${version}/restore`, {}, options);
  }

  /**
   * Runs a turn and reads its stream; the request goes out with the first read.
   * Without a `turnId` one is made, so that a lost start can be repeated without running twice.
   */
  chatStream(agentId: string, request: ChatRequest, options: StreamOptions = {}): AgentStream {
    const turnId = request.turnId ?? randomUuid();
    const start = { path: path`/api/agents/${agentId}/chat`, body: { ...request, turnId, stream: true } };
    return this.stream({ turnId, attachPath: streamPath(agentId, turnId), start }, options);
  }

  /** Runs a turn and waits for its whole answer; without `timeoutMs` as long as it takes. */
  chat(agentId: string, request: ChatRequest, options?: RequestOptions): Promise<ChatAnswer> {
    const body = { ...request, stream: false };
    return this.http.post(path`/api/agents/${agentId}/chat`, body, { timeoutMs: 0, ...options });
  }

  /** Reads the recorded stream of a turn, then what is still to come. */
  attachTurn(
    agentId: string,
    turnId: string,
    position: AttachPosition = {},
    options: StreamOptions = {},
  ): AgentStream {
    return this.stream({ ...position, turnId, attachPath: streamPath(agentId, turnId) }, options);
  }

  turn(agentId: string, turnId: string, options?: RequestOptions): Promise<Turn> {
    return this.http.get(path`/api/agents/${agentId}/turns/${turnId}`, {}, options);
  }

  /** The caller's own sessions with the agent. */
  sessions(agentId: string, query: PageQuery = {}, options?: RequestOptions): Promise<Page<Session>> {
    return this.http.get(path`/api/agents/${agentId}/sessions`, { ...query }, options);
  }

  session(agentId: string, sessionId: string, options?: RequestOptions): Promise<Session> {
    return this.http.get(path`/api/agents/${agentId}/sessions/${sessionId}`, {}, options);
  }

  /** 409 while one of its turns runs. */
  deleteSession(agentId: string, sessionId: string, options?: RequestOptions): Promise<void> {
    return this.http.delete(path`/api/agents/${agentId}/sessions/${sessionId}`, options);
  }

  messages(
    agentId: string,
    sessionId: string,
    query: PageQuery = {},
    options?: RequestOptions,
  ): Promise<Page<Message>> {
    return this.http.get(path`/api/agents/${agentId}/sessions/${sessionId}/messages`, { ...query }, options);
  }

  private stream(source: StreamSource, options: StreamOptions): AgentStream {
    return new AgentStreamClient((request) => this.http.open(request), source, {
      ...this.streamOptions,
      ...options,
    });
  }
}

function streamPath(agentId: string, turnId: string): string {
  return path`/api/agents/${agentId}/turns/${turnId}/stream`;
}

import { randomUUID } from 'node:crypto';
import type {
  ChatResponse,
  ChatRequest,
  ContentItem,
  CreateAgentRequest,
  CreateModelRequest,
  Message,
  Page,
  Turn,
} from '@platform/contracts';
import type { Answer, RequestInit, TestApp, TestUser } from './app.ts';
import { readStream, type StreamedAnswer } from './frames.ts';
import { LiveStream } from './live-stream.ts';

export const STREAMED = { 'X-Platform-Stream-Protocol': 'langgraph-v3' };

/** Contents of one text. */
export const said = (text: string): ContentItem[] => [{ type: 'text', text }];

export type ChatBody = Partial<ChatRequest> | Record<string, unknown>;

/** The calls of one user to one agent, as raw HTTP. */
export class AgentCalls {
  constructor(
    readonly app: TestApp,
    readonly agentId: string,
    readonly user: TestUser = app.admin,
  ) {}

  /** An agent of the admin that uses a model of the given server, or the offline one. */
  static async make(
    app: TestApp,
    model: Partial<CreateModelRequest> | null = null,
    agent: Partial<CreateAgentRequest> = {},
  ): Promise<AgentCalls> {
    let name = 'platform/offline';
    if (model) {
      name = `model-${randomUUID()}`;
      await app.client().models.create({ name, ...model });
    }
    const made = await app
      .client()
      .agents.create({ name: 'A', model: name, systemPrompt: 'Be brief.', ...agent });
    return new AgentCalls(app, made.id);
  }

  /** The same agent, called by somebody else or through another instance. */
  by(user: TestUser): AgentCalls {
    return new AgentCalls(this.app, this.agentId, user);
  }

  via(app: TestApp): AgentCalls {
    return new AgentCalls(app, this.agentId, this.user);
  }

  get path(): string {
    return `/api/agents/${this.agentId}`;
  }

  /** Any call below the agent. */
  request<Body = Record<string, unknown>>(
    method: string,
    path: string,
    init: RequestInit = {},
  ): Promise<Answer<Body>> {
    return this.app.request<Body>(method, `${this.path}${path}`, { as: this.user, ...init });
  }

  /** Posts a chat, with the protocol header. */
  post<Body = Record<string, unknown>>(body: unknown, init: RequestInit = {}): Promise<Answer<Body>> {
    return this.request('POST', '/chat', { body, headers: STREAMED, ...init });
  }

  /** Sends a chat that streams; answers as soon as its head is there. */
  start(body: ChatBody): Promise<Response> {
    return this.app.fetch('POST', `${this.path}/chat`, { as: this.user, body, headers: STREAMED });
  }

  /** Starts a stream and leaves it to be read. */
  async open(body: ChatBody): Promise<LiveStream> {
    return new LiveStream(await this.start(body));
  }

  /** A stream, read to its end. */
  async stream(body: ChatBody): Promise<StreamedAnswer> {
    const response = await this.start(body);
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
    return readStream(response);
  }

  /** A JSON answer. */
  json(body: ChatBody): Promise<Answer<ChatResponse>> {
    return this.request('POST', '/chat', { body: { ...body, stream: false } });
  }

  async turn(turnId: string): Promise<Turn> {
    return (await this.request<Turn>('GET', `/turns/${turnId}`)).body;
  }

  /** The latest first. */
  async messages(sessionId: string): Promise<Message[]> {
    const path = `/sessions/${encodeURIComponent(sessionId)}/messages`;
    const { status, body, text } = await this.request<Page<Message>>('GET', path);
    if (status !== 200) throw new Error(`${status} ${text}`);
    return body.items;
  }

  /** Re-attaches and leaves the stream to be read. */
  async attach(turnId: string, query = '', headers: Record<string, string> = {}): Promise<LiveStream> {
    const path = `${this.path}/turns/${turnId}/stream${query}`;
    return new LiveStream(await this.app.fetch('GET', path, { as: this.user, headers }));
  }
}

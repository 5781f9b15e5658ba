import type {
  Agent,
  AgentAccess,
  AgentListing,
  AgentVersion,
  CancelResponse,
  CancelRequest,
  ChatResponse,
  ChatRequest,
  CreateAgentRequest,
  ExecuteResponse,
  ExecuteRequest,
  Interaction,
  Job,
  LocalToolResultRequest,
  Message,
  Page,
  PageQuery,
  ResumeRequest,
  Session,
  Turn,
  UpdateAgentRequest,
} from '@platform/contracts';
import type { HttpClient, RequestOptions } from '../http.ts';
import { invokeAsync } from '../invoke-async.ts';
import type { InvokeOptions, InvokeRequest } from '../invoke-async.ts';
import { LocalToolRunner } from '../local-tools.ts';
import type { LocalToolOptions } from '../local-tools.ts';
import { Retry } from '../retry.ts';
import { AgentStreamClient } from '../stream-client.ts';
import type { AgentStream, StreamOptions, StreamSource, StreamStart } from '../stream-client.ts';
import { path } from '../url.ts';
import { randomUuid } from '../uuid.ts';
import { ContextResource } from './context.ts';
import type { JobsResource } from './jobs.ts';

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

/** How a turn's stream is read, and which tools it may call here. */
export interface TurnOptions extends StreamOptions, LocalToolOptions {}

/** Agents, their sessions and their turns. */
export class AgentsResource {
  readonly context: ContextResource;
  private readonly http: HttpClient;
  private readonly jobs: JobsResource;
  private readonly streamOptions: StreamOptions;
  private readonly localCalls = new Set<string>();

  constructor(http: HttpClient, jobs: JobsResource, streamOptions: StreamOptions) {
    this.context = new ContextResource(http);
    this.http = http;
    this.jobs = jobs;
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
  chatStream(agentId: string, request: ChatRequest, options: TurnOptions = {}): AgentStream {
    const turnId = request.turnId ?? randomUuid();
    const body = { ...request, ...registered(request, options), turnId, stream: true };
    return this.ownTurn(agentId, turnId, { path: path`/api/agents/${agentId}/chat`, body }, options);
  }

  /** Runs a turn and waits for its whole answer; without `timeoutMs` as long as it takes. */
  chat(agentId: string, request: ChatRequest, options?: RequestOptions): Promise<ChatResponse> {
    const body = { ...request, stream: false };
    return this.http.post(path`/api/agents/${agentId}/chat`, body, { timeoutMs: 0, ...options });
  }

  /** Runs an agent on its inputs and waits for the answer; without `timeoutMs` as long as it takes. */
  execute(agentId: string, request: ExecuteRequest, options?: RequestOptions): Promise<ExecuteResponse> {
    const body = { ...request, stream: false };
    return this.http.post(path`/api/agents/${agentId}/execute`, body, { timeoutMs: 0, ...options });
  }

  /**
   * The same as a stream. Its `turnId` is known from the first answer on; a start that was not answered is not
   * repeated, for it might run twice.
   */
  executeStream(
    agentId: string,
    request: ExecuteRequest,
    options: TurnOptions = {},
  ): AgentStream<string | null> {
    const start = {
      path: path`/api/agents/${agentId}/execute`,
      body: { ...request, ...registered(request, options), stream: true },
      whenUnanswered: 'give-up' as const,
    };
    return this.ownTurn<string | null>(agentId, null, start, options);
  }

  /**
   * Runs an agent as a job and resolves with the job once it is COMPLETED; else throws AgentJobError.
   * Giving up the waiting does not cancel the job.
   */
  invokeAsync(agentId: string, request: InvokeRequest, options: InvokeOptions = {}): Promise<Job> {
    const services = {
      jobs: this.jobs,
      pendingInteractions: ({ sessionId }: Job) =>
        this.pendingInteractions(agentId, sessionId, { signal: options.signal }),
      retry: new Retry(this.streamOptions),
    };
    return invokeAsync(services, agentId, request, options);
  }

  /** The questions of a session that wait for an answer. */
  async pendingInteractions(
    agentId: string,
    sessionId: string,
    options?: RequestOptions,
  ): Promise<Interaction[]> {
    const address = path`/api/agents/${agentId}/sessions/${sessionId}/interactions/pending`;
    return (await this.http.get<{ items: Interaction[] }>(address, {}, options)).items;
  }

  /** Answers a question and reads how the turn goes on; the same answer again gives the same stream. */
  resume(agentId: string, turnId: string, answer: ResumeRequest, options: TurnOptions = {}): AgentStream {
    const address = path`/api/agents/${agentId}/turns/${turnId}/resume`;
    const start = { path: address, body: answer, whenUnanswered: 'repeat' as const };
    return this.ownTurn(agentId, turnId, start, options);
  }

  /** Stops a turn wherever it runs; what was said is kept, what is finished stays as it is. */
  cancel(
    agentId: string,
    turnId: string,
    request: CancelRequest,
    options?: RequestOptions,
  ): Promise<CancelResponse> {
    return this.http.postAgain(path`/api/agents/${agentId}/turns/${turnId}/cancel`, request, options);
  }

  /** Gives the result of a local tool call that was run by hand; the first one counts (409). */
  async answerLocalToolCall(
    agentId: string,
    turnId: string,
    callId: string,
    result: LocalToolResultRequest,
    options?: RequestOptions,
  ): Promise<void> {
    const address = path`/api/agents/${agentId}/turns/${turnId}/local-tools/${callId}`;
    await this.http.postAgain(address, result, options);
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

  /** The bytes of something that was sent in the session. */
  attachment(
    agentId: string,
    sessionId: string,
    attachmentId: string,
    options?: RequestOptions,
  ): Promise<Blob> {
    const address = path`/api/agents/${agentId}/sessions/${sessionId}/attachments/${attachmentId}`;
    return this.http.blob(address, options);
  }

  /** A stream whose turn was started, or resumed, here: the only kind that runs local tools. */
  private ownTurn<TurnId extends string | null>(
    agentId: string,
    turnId: TurnId,
    start: StreamStart,
    options: TurnOptions,
  ): AgentStream<TurnId> {
    const attachPath = (turn: string) => streamPath(agentId, turn);
    const runner = new LocalToolRunner({
      ...options,
      left: options.signal,
      retry: new Retry({ ...this.streamOptions, ...options }),
      taken: this.localCalls,
      turns: {
        isRunning: async (turn, segment) => {
          const { segments } = await this.turn(agentId, turn);
          return segments.some((each) => each.segment === segment && !each.ended);
        },
        answer: (turn, callId, result) => this.answerLocalToolCall(agentId, turn, callId, result),
      },
    });
    return this.stream<TurnId>({ turnId, attachPath, start, watch: (event) => runner.watch(event) }, options);
  }

  private stream<TurnId extends string | null>(
    source: StreamSource<TurnId>,
    options: StreamOptions,
  ): AgentStream<TurnId> {
    return new AgentStreamClient((request) => this.http.open(request), source, {
      ...this.streamOptions,
      ...options,
    });
  }
}

function streamPath(agentId: string, turnId: string): string {
  return path`/api/agents/${agentId}/turns/${turnId}/stream`;
}

function registered(
  { registeredLocalTools }: Pick<ChatRequest, 'registeredLocalTools'>,
  { localTools }: LocalToolOptions,
): Pick<ChatRequest, 'registeredLocalTools'> {
  if (localTools === undefined) return {};
  return {
    registeredLocalTools: [...new Set([...(registeredLocalTools ?? []), ...Object.keys(localTools)])],
  };
}

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
  ListAgentsQuery,
  LocalToolResultRequest,
  Message,
  PageQuery,
  RenameSessionRequest,
  ResumeRequest,
  Session,
  Turn,
  UpdateAgentRequest,
} from '@platform/contracts';
import type { ApiPromise, PagePromise } from '../api-promise.ts';
import type { HttpClient, RequestOptions } from '../http.ts';
import { invokeAsync } from '../invoke-async.ts';
import type { InvokeOptions, InvokeRequest } from '../invoke-async.ts';
import { LocalToolRunner } from '../local-tools.ts';
import type { LocalToolOptions } from '../local-tools.ts';
import { Retry } from '../retry.ts';
import { AgentStreamClient } from '../stream-client.ts';
import type {
  AgentStream,
  AttachPosition,
  StreamOptions,
  StreamSource,
  StreamStart,
} from '../stream-client.ts';
import { path, withIds } from '../url.ts';
import type { WithIds } from '../url.ts';
import { randomUuid } from '../uuid.ts';
import { ContextResource } from './context.ts';
import type { JobsResource } from './jobs.ts';

export interface AgentListQuery extends PageQuery {
  /** Lists only agents that the caller can invoke. */
  accessibleOnly?: boolean | undefined;
  /** Lists only agents that the caller owns. */
  ownedOnly?: boolean | undefined;
  /** Lists only agents with this tool, of those that the caller manages. */
  toolId?: string | undefined;
  /** Lists only agents whose name or description has all of these words. */
  text?: string | undefined;
  /** What the list is sorted by, with `-` in front for descending order. */
  sort?: ListAgentsQuery['sort'] | undefined;
}

/** What a person decides about what a call needs. */
export interface CallDecision {
  approved: boolean;
  /** Of a rejection: the agent learns it. */
  reason?: string;
  /** Of an approval: the arguments in place of those that were shown. */
  arguments?: Record<string, unknown>;
  /** What was entered into a form. */
  values?: Record<string, unknown>;
}

/** How the stream of a turn is read, and which local tools the turn can call. */
export interface TurnOptions extends StreamOptions, LocalToolOptions {}

/** Agents, their sessions, and their turns. */
export class AgentsResource {
  readonly context: ContextResource;
  private readonly http: HttpClient;
  private readonly jobs: JobsResource;
  private readonly streamOptions: StreamOptions;
  /** Calls of local tools that have been started, over all streams of this client. */
  private readonly startedCalls = new Set<string>();

  constructor(http: HttpClient, jobs: JobsResource, streamOptions: StreamOptions) {
    this.context = new ContextResource(http);
    this.http = http;
    this.jobs = jobs;
    this.streamOptions = streamOptions;
  }

  /** Lists the agents of the space. Owners and admins receive all fields, other members only a listing. */
  list(query: WithIds<AgentListQuery> = {}, options?: RequestOptions): PagePromise<Agent | AgentListing> {
    return this.http.list('/api/agents', withIds({ ...query }), options);
  }

  get(agentId: string, options?: RequestOptions): ApiPromise<Agent | AgentListing> {
    return this.http.get(path`/api/agents/${agentId}`, {}, options);
  }

  create(agent: CreateAgentRequest, options?: RequestOptions): ApiPromise<Agent> {
    return this.http.post('/api/agents', agent, options);
  }

  /** Changes the given fields. With `version`, the response is 409 if it is no longer the current version. */
  update(agentId: string, changes: UpdateAgentRequest, options?: RequestOptions): ApiPromise<Agent> {
    return this.http.patch(path`/api/agents/${agentId}`, changes, options);
  }

  delete(agentId: string, options?: RequestOptions): ApiPromise<void> {
    return this.http.delete(path`/api/agents/${agentId}`, options);
  }

  /** Returns who can invoke the agent, and which rule decides; with `userId`, only for one user. */
  access(
    agentId: string,
    query: { userId?: string } = {},
    options?: RequestOptions,
  ): ApiPromise<AgentAccess> {
    return this.http.get(path`/api/agents/${agentId}/access`, query, options);
  }

  versions(agentId: string, query: PageQuery = {}, options?: RequestOptions): PagePromise<AgentVersion> {
    return this.http.list(path`/api/agents/${agentId}/versions`, { ...query }, options);
  }

  /** Creates a new version with the content of an earlier one. */
  restoreVersion(agentId: string, version: number, options?: RequestOptions): ApiPromise<Agent> {
    return this.http.post(path`/api/agents/${agentId}/versions/${version}/restore`, {}, options);
  }

  /**
   * Runs a turn and reads its stream. The request is sent when reading starts. If the request contains no `turnId`, one
   * is generated, so that a lost request can be repeated without running the turn twice.
   */
  chatStream(agentId: string, request: ChatRequest, options: TurnOptions = {}): AgentStream {
    const turnId = request.turnId ?? randomUuid();
    const body = { ...request, ...declareLocalTools(request, options), turnId, stream: true };
    return this.startStream(agentId, turnId, { path: path`/api/agents/${agentId}/chat`, body }, options);
  }

  /**
   * Runs a turn and returns the complete response. With a `turnId` the request can be repeated, because the turn runs once.
   * There is no timeout unless `timeoutMs` is set.
   */
  chat(agentId: string, request: ChatRequest, options?: RequestOptions): ApiPromise<ChatResponse> {
    return this.http.json({
      timeoutMs: 0,
      ...options,
      method: 'POST',
      path: path`/api/agents/${agentId}/chat`,
      body: { ...request, stream: false },
      idempotent: request.turnId !== undefined && request.turnId !== null,
    });
  }

  /** Runs the agent on its inputs and returns the response. There is no timeout unless `timeoutMs` is set. */
  execute(agentId: string, request: ExecuteRequest, options?: RequestOptions): ApiPromise<ExecuteResponse> {
    const body = { ...request, stream: false };
    return this.http.post(path`/api/agents/${agentId}/execute`, body, { timeoutMs: 0, ...options });
  }

  /**
   * Runs the agent on its inputs and reads the stream. `turnId` is set when the service has responded. A request without
   * a response is not repeated, because the execution could run twice.
   */
  executeStream(
    agentId: string,
    request: ExecuteRequest,
    options: TurnOptions = {},
  ): AgentStream<string | null> {
    const start = {
      path: path`/api/agents/${agentId}/execute`,
      body: { ...request, ...declareLocalTools(request, options), stream: true },
      onNoResponse: 'fail' as const,
    };
    return this.startStream<string | null>(agentId, null, start, options);
  }

  /**
   * Runs the agent as a job and returns the job when it is COMPLETED. Throws AgentJobError if it ends in any other way.
   * Aborting `signal` does not cancel the job.
   */
  invokeAsync(agentId: string, request: InvokeRequest, options: InvokeOptions = {}): Promise<Job> {
    const services = {
      jobs: this.jobs,
      listPendingInteractions: ({ sessionId }: Job) =>
        this.pendingInteractions(agentId, sessionId, { signal: options.signal }),
      retry: new Retry(this.streamOptions),
    };
    return invokeAsync(services, agentId, request, options);
  }

  /** Lists the questions of a session that have not been answered. */
  pendingInteractions(
    agentId: string,
    sessionId: string,
    options?: RequestOptions,
  ): ApiPromise<Interaction[]> {
    const address = path`/api/agents/${agentId}/sessions/${sessionId}/interactions/pending`;
    return this.http.get<{ items: Interaction[] }>(address, {}, options).map(({ items }) => items);
  }

  /** Answers a question and reads the next segment. Repeating the same answer returns the same segment. */
  resume(agentId: string, turnId: string, answer: ResumeRequest, options: TurnOptions = {}): AgentStream {
    const address = path`/api/agents/${agentId}/turns/${turnId}/resume`;
    const start = { path: address, body: answer, onNoResponse: 'retry' as const };
    return this.startStream(agentId, turnId, start, options);
  }

  /**
   * Decides about what a call needs (`interaction.purpose`): approves it, also with other `arguments`, sends the `values` of a form, goes
   * on after a connection, or rejects it with a `reason`. Reads the next segment.
   */
  decide(
    agentId: string,
    { turnId, sessionId, interactionId }: Interaction,
    { approved, reason, ...given }: CallDecision,
    options: TurnOptions = {},
  ): AgentStream {
    const answer = {
      sessionId,
      interactionId,
      selectedOptionIds: [approved ? 'approve' : 'reject'],
      ...(!approved && reason !== undefined && { otherText: reason }),
      ...(approved && given),
    };
    return this.resume(agentId, turnId, answer, options);
  }

  /** Cancels a turn. Its output so far is kept. A turn that has ended is not changed. */
  cancel(
    agentId: string,
    turnId: string,
    request: CancelRequest,
    options?: RequestOptions,
  ): ApiPromise<CancelResponse> {
    return this.http.postIdempotent(path`/api/agents/${agentId}/turns/${turnId}/cancel`, request, options);
  }

  /** Sends the result of a local tool call. If the call already has a result, the response is 409. */
  answerLocalToolCall(
    agentId: string,
    turnId: string,
    callId: string,
    result: LocalToolResultRequest,
    options?: RequestOptions,
  ): ApiPromise<void> {
    const address = path`/api/agents/${agentId}/turns/${turnId}/local-tools/${callId}`;
    return this.http.postIdempotent(address, result, options);
  }

  /** Reads the stream of a turn: first the recorded frames, then new ones as they arrive. */
  attachTurn(
    agentId: string,
    turnId: string,
    position: AttachPosition = {},
    options: StreamOptions = {},
  ): AgentStream {
    return this.stream({ ...position, turnId, attachPath: formatStreamPath(agentId, turnId) }, options);
  }

  turn(agentId: string, turnId: string, options?: RequestOptions): ApiPromise<Turn> {
    return this.http.get(path`/api/agents/${agentId}/turns/${turnId}`, {}, options);
  }

  /** Lists the caller's own sessions with the agent. */
  sessions(agentId: string, query: PageQuery = {}, options?: RequestOptions): PagePromise<Session> {
    return this.http.list(path`/api/agents/${agentId}/sessions`, { ...query }, options);
  }

  session(agentId: string, sessionId: string, options?: RequestOptions): ApiPromise<Session> {
    return this.http.get(path`/api/agents/${agentId}/sessions/${sessionId}`, {}, options);
  }

  /** Gives a session another title. */
  renameSession(
    agentId: string,
    sessionId: string,
    change: RenameSessionRequest,
    options?: RequestOptions,
  ): ApiPromise<Session> {
    return this.http.patch(path`/api/agents/${agentId}/sessions/${sessionId}`, change, options);
  }

  /** Deletes a session. If one of its turns is running, the response is 409. */
  deleteSession(agentId: string, sessionId: string, options?: RequestOptions): ApiPromise<void> {
    return this.http.delete(path`/api/agents/${agentId}/sessions/${sessionId}`, options);
  }

  messages(
    agentId: string,
    sessionId: string,
    query: PageQuery = {},
    options?: RequestOptions,
  ): PagePromise<Message> {
    return this.http.list(path`/api/agents/${agentId}/sessions/${sessionId}/messages`, { ...query }, options);
  }

  /** Returns the bytes of an attachment. */
  attachment(
    agentId: string,
    sessionId: string,
    attachmentId: string,
    options?: RequestOptions,
  ): ApiPromise<Blob> {
    const address = path`/api/agents/${agentId}/sessions/${sessionId}/attachments/${attachmentId}`;
    return this.http.blob(address, options);
  }

  /** Starts or resumes a turn. Only streams that were opened in this way run local tools. */
  private startStream<TurnId extends string | null>(
    agentId: string,
    turnId: TurnId,
    start: StreamStart,
    options: TurnOptions,
  ): AgentStream<TurnId> {
    const attachPath = (turn: string) => formatStreamPath(agentId, turn);
    const runner = new LocalToolRunner({
      ...options,
      retry: new Retry({ ...this.streamOptions, ...options }),
      startedCalls: this.startedCalls,
      turns: {
        isRunning: async (turn, segment) => {
          const { segments } = await this.turn(agentId, turn);
          return segments.some((each) => each.segment === segment && !each.ended);
        },
        sendResult: (turn, callId, result) => this.answerLocalToolCall(agentId, turn, callId, result),
      },
    });
    return this.stream<TurnId>(
      { turnId, attachPath, start, onEvent: (event) => runner.handle(event) },
      options,
    );
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

function formatStreamPath(agentId: string, turnId: string): string {
  return path`/api/agents/${agentId}/turns/${turnId}/stream`;
}

/** Adds the names of the local tools to those that the request already contains. */
function declareLocalTools(
  { registeredLocalTools }: Pick<ChatRequest, 'registeredLocalTools'>,
  { localTools }: LocalToolOptions,
): Pick<ChatRequest, 'registeredLocalTools'> {
  if (localTools === undefined) return {};
  return {
    registeredLocalTools: [...new Set([...(registeredLocalTools ?? []), ...Object.keys(localTools)])],
  };
}

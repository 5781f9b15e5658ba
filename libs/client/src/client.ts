import type { SearchResults } from '@platform/contracts';
import type { ApiPromise } from './api-promise.ts';
import { HttpClient } from './http.ts';
import type { RequestOptions } from './http.ts';
import { AgentsResource } from './resources/agents.ts';
import { ApiKeysResource } from './resources/api-keys.ts';
import { ApplicationsResource } from './resources/applications.ts';
import { ChangesResource } from './change-stream.ts';
import { AuditResource, AuthResource, OAuthResource } from './resources/auth.ts';
import { ConnectionsResource } from './resources/connections.ts';
import { DataResource } from './resources/data.ts';
import { EventsResource } from './resources/events.ts';
import { InvitationsResource } from './resources/invitations.ts';
import { JobsResource } from './resources/jobs.ts';
import { KnowledgeResource } from './resources/knowledge.ts';
import { MembersResource } from './resources/members.ts';
import { ModelsResource } from './resources/models.ts';
import { InboxResource, RunsResource } from './resources/runs.ts';
import { SavedViewsResource, SpacesResource } from './resources/spaces.ts';
import { TasksResource } from './resources/tasks.ts';
import { McpResource, ToolsResource } from './resources/tools.ts';
import { TurnsResource } from './resources/turns.ts';
import { UsageResource } from './resources/usage.ts';
import { NotificationsResource, WebhookSecretResource, WebhooksResource } from './resources/notifications.ts';
import { DEFAULT_MAX_RETRIES } from './retry.ts';
import type { StreamOptions } from './stream-client.ts';
import { systemTimer } from './timer.ts';
import type { Timer } from './timer.ts';

type AccessToken = string | null | undefined;

export interface PlatformClientOptions {
  /** Base URL of the service. An empty string means the origin of the page. */
  baseUrl: string;
  /** For trusted servers. Pass either this or `accessToken`. */
  apiKey?: string | undefined;
  /** For browsers: the access token of the signed-in user, or a function that returns the current one. */
  accessToken?: string | (() => AccessToken | Promise<AccessToken>) | undefined;
  /** Called once after a 401. If it returns a token, the call is repeated with it. */
  onUnauthorized?: (() => Promise<string | null>) | undefined;
  fetch?: typeof fetch | undefined;
  /** Added to every request. */
  headers?: Record<string, string> | undefined;
  /** Milliseconds until a response must be complete, or a stream must begin. Default 60,000; 0 disables the limit. */
  timeoutMs?: number | undefined;
  /** How often a call is repeated if that is safe. Default 2. */
  maxRetries?: number | undefined;
  /** Is told before a call waits to be repeated: for how many milliseconds, and after which error. */
  onWait?: ((delayMs: number, error: unknown) => void) | undefined;
  /** How streams reconnect after a lost connection. */
  streams?: Pick<StreamOptions, 'reconnect' | 'idleTimeoutMs'> | undefined;
  /** Collects the calls of `events.emit` within 5 ms into one request. Default false. */
  batchEmits?: boolean | undefined;
  /** Allows `apiKey` in a browser, where everyone who opens the page can read it. */
  dangerouslyAllowApiKeyInBrowser?: boolean | undefined;
  timer?: Timer | undefined;
  /** Returns a number from 0 (inclusive) to 1 (exclusive), used as jitter. */
  random?: (() => number) | undefined;
}

/**
 * Client of the platform API. Methods throw PlatformError if the service responds with an error, and
 * PlatformConnectionError if there is no complete response: PlatformTimeoutError if it took too long.
 */
export class PlatformClient {
  readonly agents: AgentsResource;
  readonly apiKeys: ApiKeysResource;
  readonly applications: ApplicationsResource;
  readonly audit: AuditResource;
  readonly auth: AuthResource;
  readonly changes: ChangesResource;
  readonly connections: ConnectionsResource;
  readonly data: DataResource;
  readonly events: EventsResource;
  readonly inbox: InboxResource;
  readonly invitations: InvitationsResource;
  readonly jobs: JobsResource;
  readonly knowledge: KnowledgeResource;
  readonly mcp: McpResource;
  readonly members: MembersResource;
  readonly models: ModelsResource;
  readonly oauth: OAuthResource;
  readonly runs: RunsResource;
  readonly savedViews: SavedViewsResource;
  readonly spaces: SpacesResource;
  readonly tasks: TasksResource;
  readonly tools: ToolsResource;
  readonly turns: TurnsResource;
  readonly usage: UsageResource;
  readonly notifications: NotificationsResource;
  readonly webhookSecret: WebhookSecretResource;
  readonly webhooks: WebhooksResource;

  private readonly http: HttpClient;

  constructor(options: PlatformClientOptions) {
    assertSafe(options);
    const { timer = systemTimer, random = Math.random } = options;
    const http = new HttpClient({
      ...createCredential(options),
      baseUrl: options.baseUrl.replace(/\/+$/, ''),
      // Browsers reject a fetch that is called as a method of another object.
      fetch: options.fetch ?? ((input, init) => fetch(input, init)),
      headers: options.headers ?? {},
      timeoutMs: options.timeoutMs ?? 60_000,
      maxRetries: options.maxRetries ?? DEFAULT_MAX_RETRIES,
      onWait: options.onWait,
      timer,
      random,
    });
    this.http = http;
    const streams = { maxRetries: options.maxRetries, ...options.streams, timer, random };
    this.jobs = new JobsResource(http, streams);
    this.agents = new AgentsResource(http, this.jobs, streams);
    this.apiKeys = new ApiKeysResource(http);
    this.applications = new ApplicationsResource(http);
    this.audit = new AuditResource(http);
    this.auth = new AuthResource(http);
    this.changes = new ChangesResource(http, { timer, random });
    this.connections = new ConnectionsResource(http);
    this.data = new DataResource(http);
    this.events = new EventsResource(http, options.batchEmits === true ? timer : null);
    this.inbox = new InboxResource(http);
    this.invitations = new InvitationsResource(http);
    this.knowledge = new KnowledgeResource(http);
    this.mcp = new McpResource(http);
    this.members = new MembersResource(http);
    this.models = new ModelsResource(http);
    this.oauth = new OAuthResource(http);
    this.runs = new RunsResource(http, timer);
    this.savedViews = new SavedViewsResource(http);
    this.spaces = new SpacesResource(http);
    this.tasks = new TasksResource(http);
    this.tools = new ToolsResource(http);
    this.turns = new TurnsResource(http);
    this.usage = new UsageResource(http);
    this.notifications = new NotificationsResource(http);
    this.webhookSecret = new WebhookSecretResource(http);
    this.webhooks = new WebhooksResource(http);
  }

  /** Finds what the caller may see by the first letters of words, or by its id. `limit`: of each kind, 1 to 20, default 5. */
  search(
    q: string,
    query: { limit?: number | undefined } = {},
    options?: RequestOptions,
  ): ApiPromise<SearchResults> {
    return this.http.get('/api/search', { q, ...query }, options);
  }
}

function assertSafe({ apiKey, accessToken, ...options }: PlatformClientOptions): void {
  if (apiKey !== undefined && accessToken !== undefined) {
    throw new TypeError('Pass either apiKey or accessToken, not both.');
  }
  const inBrowser = 'window' in globalThis && 'document' in globalThis;
  if (apiKey !== undefined && inBrowser && options.dangerouslyAllowApiKeyInBrowser !== true) {
    throw new TypeError(
      'An API key must not be used in a browser, because everyone who opens the page can read it. ' +
        'Sign the user in and pass accessToken, or set dangerouslyAllowApiKeyInBrowser to accept the risk.',
    );
  }
  if (options.baseUrl === '' && !inBrowser && options.fetch === undefined) {
    throw new TypeError('baseUrl can be empty only in a browser, where it means the origin of the page.');
  }
}

function createCredential({ apiKey, accessToken, onUnauthorized }: PlatformClientOptions) {
  if (typeof accessToken === 'function') {
    return { credential: async () => (await accessToken()) ?? null, renewCredential: onUnauthorized };
  }
  let current = apiKey ?? accessToken ?? null;
  return {
    credential: () => current,
    renewCredential:
      onUnauthorized &&
      (async () => {
        const renewed = await onUnauthorized();
        current = renewed ?? current;
        return renewed;
      }),
  };
}

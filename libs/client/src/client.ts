import { HttpClient } from './http.ts';
import { AgentsResource } from './resources/agents.ts';
import { ApiKeysResource } from './resources/api-keys.ts';
import { AuditResource } from './resources/audit.ts';
import { AuthResource } from './resources/auth.ts';
import { InvitationsResource } from './resources/invitations.ts';
import { JobsResource } from './resources/jobs.ts';
import { MembersResource } from './resources/members.ts';
import { ModelsResource } from './resources/models.ts';
import { SpacesResource } from './resources/spaces.ts';
import { UsageResource } from './resources/usage.ts';
import type { StreamOptions } from './stream-client.ts';
import { systemTimer } from './timer.ts';
import type { Timer } from './timer.ts';

type AccessToken = string | null | undefined;

export interface PlatformClientOptions {
  /** Address of the service; empty: the page's own origin. */
  baseUrl: string;
  /** For trusted servers. Give either this or `accessToken`. */
  apiKey?: string;
  /** For browsers: the token of the signed-in user, or where to find the present one. */
  accessToken?: string | (() => AccessToken | Promise<AccessToken>);
  /** Asked once when a call is answered 401; the call is repeated with the token it gives, if any. */
  onUnauthorized?: () => Promise<string | null>;
  fetch?: typeof fetch;
  /** Added to every request. */
  headers?: Record<string, string>;
  /** Milliseconds until an answer must be there (60,000); 0: no limit. Streams: until they begin. */
  timeoutMs?: number;
  /** How streams recover from lost connections. */
  streams?: Pick<StreamOptions, 'reconnect' | 'idleTimeoutMs'>;
  /** An API key in a web page is open to everyone who opens that page. */
  dangerouslyAllowApiKeyInBrowser?: boolean;
  timer?: Timer;
  /** From 0 up to 1, for the jitter between attempts. */
  random?: () => number;
}

/** The platform's API. Throws PlatformError for refusals, PlatformConnectionError where no answer came. */
export class PlatformClient {
  readonly agents: AgentsResource;
  readonly apiKeys: ApiKeysResource;
  readonly audit: AuditResource;
  readonly auth: AuthResource;
  readonly invitations: InvitationsResource;
  readonly jobs: JobsResource;
  readonly members: MembersResource;
  readonly models: ModelsResource;
  readonly spaces: SpacesResource;
  readonly usage: UsageResource;

  constructor(options: PlatformClientOptions) {
    refuseMisuse(options);
    const { timer = systemTimer, random = Math.random } = options;
    const http = new HttpClient({
      ...credentialOf(options),
      baseUrl: options.baseUrl.replace(/\/+$/, ''),
      // Called as a plain function: browsers refuse a fetch that is called as somebody's method.
      fetch: options.fetch ?? ((input, init) => fetch(input, init)),
      headers: options.headers ?? {},
      timeoutMs: options.timeoutMs ?? 60_000,
      timer,
      random,
    });
    const streams = { ...options.streams, timer, random };
    this.jobs = new JobsResource(http, streams);
    this.agents = new AgentsResource(http, this.jobs, streams);
    this.apiKeys = new ApiKeysResource(http);
    this.audit = new AuditResource(http);
    this.auth = new AuthResource(http);
    this.invitations = new InvitationsResource(http);
    this.members = new MembersResource(http);
    this.models = new ModelsResource(http);
    this.spaces = new SpacesResource(http);
    this.usage = new UsageResource(http);
  }
}

function refuseMisuse({ apiKey, accessToken, ...options }: PlatformClientOptions): void {
  if (apiKey !== undefined && accessToken !== undefined) {
    throw new TypeError('Give either apiKey or accessToken, not both.');
  }
  const inBrowser = 'window' in globalThis && 'document' in globalThis;
  if (apiKey !== undefined && inBrowser && options.dangerouslyAllowApiKeyInBrowser !== true) {
    throw new TypeError(
      'An API key must not be used in a browser: everyone who opens the page could read it. ' +
        'Sign the user in and give accessToken, or set dangerouslyAllowApiKeyInBrowser if you accept that.',
    );
  }
  if (options.baseUrl === '' && !inBrowser && options.fetch === undefined) {
    throw new TypeError("baseUrl may be empty only in a browser, where it means the page's own origin.");
  }
}

function credentialOf({ apiKey, accessToken, onUnauthorized }: PlatformClientOptions) {
  if (typeof accessToken === 'function') {
    return { credential: async () => (await accessToken()) ?? null, renew: onUnauthorized };
  }
  let present = apiKey ?? accessToken ?? null;
  return {
    credential: () => present,
    renew:
      onUnauthorized &&
      (async () => {
        const renewed = await onUnauthorized();
        present = renewed ?? present;
        return renewed;
      }),
  };
}

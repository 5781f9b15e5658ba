import { createHash, randomBytes } from 'node:crypto';
import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthTokens,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import type { AuthorizationAnswer, OAuthAuthorization, OAuthScope } from '@platform/contracts';
import type { Answer, TestApp, TestUser } from './app.ts';

export const REDIRECT = 'http://127.0.0.1:33418/callback';

/** What the official client keeps, in memory. */
export class MemoryProvider implements OAuthClientProvider {
  readonly redirectUrl = REDIRECT;
  information?: StoredOAuthClientInformation;
  stored?: StoredOAuthTokens;
  /** Where the client has sent the person. */
  opened: URL | null = null;
  private verifier = '';
  private discovered: unknown;

  constructor(
    readonly clientMetadata: OAuthClientMetadata,
    readonly clientMetadataUrl?: string,
  ) {}

  state = () => 'state of the client';
  clientInformation = () => this.information;
  saveClientInformation = (information: StoredOAuthClientInformation) => {
    this.information = information;
  };
  tokens = () => this.stored;
  saveTokens = (tokens: StoredOAuthTokens) => {
    this.stored = tokens;
  };
  invalidateCredentials = () => {
    delete this.stored;
  };
  redirectToAuthorization = (url: URL) => {
    this.opened = url;
  };
  saveCodeVerifier = (verifier: string) => {
    this.verifier = verifier;
  };
  codeVerifier = () => this.verifier;
  saveDiscoveryState = (state: unknown) => {
    this.discovered = state;
  };
  discoveryState = () => this.discovered as never;
}

export interface Pkce {
  verifier: string;
  challenge: string;
}

export function pkce(): Pkce {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** A client that can be told to do what the official one never does, and the people whom it asks. */
export class OAuthAttempts {
  constructor(
    private readonly app: TestApp,
    private readonly publicUrl: string,
  ) {}

  mcpUrl(spaceId: string): string {
    return `${this.publicUrl}/mcp/${spaceId}`;
  }

  async register(metadata: object = {}): Promise<string> {
    const body = { client_name: 'Attempt', redirect_uris: [REDIRECT], ...metadata };
    // Tests register more clients than the limit allows.
    await this.app.sql('delete from rate_window');
    const answer = await this.app.request<{ client_id: string }>('POST', '/api/oauth/register', {
      as: null,
      body,
    });
    if (answer.status !== 201) throw new Error(`register: ${answer.status} ${answer.text}`);
    return answer.body.client_id;
  }

  query(
    clientId: string,
    challenge: string,
    spaceId: string,
    more: Record<string, string | null> = {},
  ): string {
    const parameters: Record<string, string | null> = {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: REDIRECT,
      state: 's 1',
      scope: 'invoke use',
      code_challenge: challenge,
      code_challenge_method: 'S256',
      resource: this.mcpUrl(spaceId),
      ...more,
    };
    const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== null);
    return new URLSearchParams(given).toString();
  }

  preview(as: TestUser, query: string): Promise<Answer<OAuthAuthorization>> {
    return this.app.request('POST', '/api/oauth/authorizations/preview', { as, body: { query } });
  }

  answer(as: TestUser, body: object): Promise<Answer<AuthorizationAnswer>> {
    return this.app.request('POST', '/api/oauth/authorizations', { as, body });
  }

  /** What a person does on the consent page. Returns the parameters that the client receives. */
  async consent(as: TestUser, query: string, scopes?: OAuthScope[]): Promise<URLSearchParams> {
    const { status, body, text } = await this.preview(as, query);
    if (status !== 200 || body.request === null) throw new Error(`preview: ${text}`);
    const answer = await this.answer(as, { request: body.request, allow: true, ...(scopes && { scopes }) });
    if (answer.status !== 200) throw new Error(`answer: ${answer.text}`);
    return new URL(answer.body.redirectTo).searchParams;
  }

  token(form: Record<string, string>): Promise<Answer<OAuthTokens & { error?: string }>> {
    return this.post('/api/oauth/token', form);
  }

  post<Body>(path: string, form: Record<string, string>): Promise<Answer<Body>> {
    return this.app.request<Body>('POST', path, {
      as: null,
      raw: new URLSearchParams(form).toString(),
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    });
  }

  exchange(clientId: string, code: string, verifier: string, more: Record<string, string> = {}) {
    const form = { grant_type: 'authorization_code', client_id: clientId, code, code_verifier: verifier };
    return this.token({ ...form, redirect_uri: REDIRECT, ...more });
  }

  refresh(clientId: string, token: string, more: Record<string, string> = {}) {
    return this.token({ grant_type: 'refresh_token', client_id: clientId, refresh_token: token, ...more });
  }

  /** A client with tokens of a person. */
  async letIn(as: TestUser, scopes?: OAuthScope[]): Promise<OAuthTokens & { clientId: string }> {
    const clientId = await this.register();
    const { verifier, challenge } = pkce();
    const received = await this.consent(as, this.query(clientId, challenge, as.spaceId), scopes);
    const { status, body, text } = await this.exchange(clientId, received.get('code') ?? '', verifier);
    if (status !== 200) throw new Error(`token: ${text}`);
    return { ...body, clientId };
  }

  /** Calls the MCP server of a space with an access token. */
  call(token: string, spaceId: string, method = 'tools/list', params: object = {}, signal?: AbortSignal) {
    return this.app.fetch('POST', `/mcp/${spaceId}`, {
      as: null,
      body: { jsonrpc: '2.0', id: 1, method, params },
      headers: {
        Authorization: `Bearer ${token}`,
        Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': '2025-11-25',
      },
      ...(signal && { signal }),
    });
  }

  /** The status of such a call, and the names of the tools that it lists. */
  async tools(token: string, spaceId: string): Promise<{ status: number; names: string[] }> {
    const response = await this.call(token, spaceId);
    const text = await response.text();
    return {
      status: response.status,
      names: [...text.matchAll(/"name":"(\w+)"/g)].map(([, name]) => name ?? ''),
    };
  }
}

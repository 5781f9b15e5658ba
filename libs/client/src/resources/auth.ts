import type {
  AnswerAuthorizationRequest,
  AuditEntry,
  AuthorizationAnswer,
  ChangePasswordRequest,
  ChangePasswordResponse,
  LoginRequest,
  Me,
  OAuthAuthorization,
  OAuthGrant,
  PageQuery,
  PersonalApiKey,
  ReceivedInvitation,
  RefreshRequest,
  SignInResponse,
  SpaceSummary,
} from '@platform/contracts';
import type { ApiPromise, PagePromise } from '../api-promise.ts';
import type { HttpClient, RequestOptions } from '../http.ts';
import { path } from '../url.ts';

/** Signs users in. The browser stores the refresh cookie; the application stores the access token. */
export class AuthResource {
  private readonly http: HttpClient;

  constructor(http: HttpClient) {
    this.http = http;
  }

  login(credentials: LoginRequest, options?: RequestOptions): ApiPromise<SignInResponse> {
    return this.postWithCookie('/api/auth/login', credentials, options);
  }

  /** Returns a new access token for the refresh cookie. `spaceId` switches to another space of the user. */
  refresh(request: RefreshRequest = {}, options?: RequestOptions): ApiPromise<SignInResponse> {
    return this.postWithCookie('/api/auth/refresh', request, options);
  }

  logout(options?: RequestOptions): ApiPromise<void> {
    return this.postWithCookie('/api/auth/logout', {}, options);
  }

  me(options?: RequestOptions): ApiPromise<Me> {
    return this.http.get('/api/auth/me', {}, options);
  }

  /** Ends all other sign-ins and revokes the keys in `revokeApiKeys`. Returns the API keys that are still valid. */
  changePassword(
    request: ChangePasswordRequest,
    options?: RequestOptions,
  ): ApiPromise<ChangePasswordResponse> {
    return this.http.post('/api/auth/password', request, options);
  }

  /** Lists the user's API keys in all spaces; if the caller uses an API key, only those of its space. */
  apiKeys(query: PageQuery = {}, options?: RequestOptions): PagePromise<PersonalApiKey> {
    return this.http.list('/api/auth/api-keys', { ...query }, options);
  }

  /** Lists the pending invitations of the user. */
  invitations(query: PageQuery = {}, options?: RequestOptions): PagePromise<ReceivedInvitation> {
    return this.http.list('/api/auth/invitations', { ...query }, options);
  }

  /** Joins the space. Call `refresh({ spaceId })` to switch to it. */
  acceptInvitation(id: string, options?: RequestOptions): ApiPromise<SpaceSummary> {
    return this.http.post(path`/api/auth/invitations/${id}/accept`, {}, options);
  }

  declineInvitation(id: string, options?: RequestOptions): ApiPromise<void> {
    return this.http.post(path`/api/auth/invitations/${id}/decline`, {}, options);
  }

  private postWithCookie<T>(path: string, body: unknown, options?: RequestOptions): ApiPromise<T> {
    return this.http.json({ ...options, method: 'POST', path, body, useCookie: true });
  }
}

/** The clients that people have let use the space over MCP: the caller's own, and for admins those of everyone. */
export class OAuthGrantsResource {
  private readonly http: HttpClient;

  constructor(http: HttpClient) {
    this.http = http;
  }

  list(query: PageQuery = {}, options?: RequestOptions): PagePromise<OAuthGrant> {
    return this.http.list('/api/oauth/grants', { ...query }, options);
  }

  /** Ends what a client may do, with immediate effect. */
  revoke(id: string, options?: RequestOptions): ApiPromise<void> {
    return this.http.delete(path`/api/oauth/grants/${id}`, options);
  }
}

/** What clients ask of people, for a consent page. Needs an access token. */
export class OAuthResource {
  readonly grants: OAuthGrantsResource;
  private readonly http: HttpClient;

  constructor(http: HttpClient) {
    this.http = http;
    this.grants = new OAuthGrantsResource(http);
  }

  /** Returns what a client asks for, by the query with which it has sent the person. */
  preview(query: string, options?: RequestOptions): ApiPromise<OAuthAuthorization> {
    return this.http.post('/api/oauth/authorizations/preview', { query }, options);
  }

  /** Allows or denies it. Returns where to send the person. */
  answer(request: AnswerAuthorizationRequest, options?: RequestOptions): ApiPromise<AuthorizationAnswer> {
    return this.http.post('/api/oauth/authorizations', request, options);
  }
}

export interface AuditQuery extends PageQuery {
  /** Id of the user who acted. */
  actor?: string | undefined;
  action?: string | undefined;
  /** ISO 8601, inclusive. */
  from?: string | undefined;
  to?: string | undefined;
}

/** The audit log of the space, newest entries first. Only for admins. */
export class AuditResource {
  private readonly http: HttpClient;

  constructor(http: HttpClient) {
    this.http = http;
  }

  list(query: AuditQuery = {}, options?: RequestOptions): PagePromise<AuditEntry> {
    return this.http.list('/api/audit', { ...query }, options);
  }
}

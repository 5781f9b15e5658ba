import type {
  AnswerAuthorizationRequest,
  AuthorizationAnswer,
  OAuthAuthorization,
  OAuthGrant,
  PageQuery,
} from '@platform/contracts';
import type { ApiPromise, PagePromise } from '../api-promise.ts';
import type { HttpClient, RequestOptions } from '../http.ts';
import { path } from '../url.ts';

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

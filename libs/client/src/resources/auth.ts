import type {
  ChangePasswordResponse,
  ChangePasswordRequest,
  LoginRequest,
  Me,
  Page,
  PageQuery,
  PersonalApiKey,
  ReceivedInvitation,
  RefreshRequest,
  SignInResponse,
  SpaceSummary,
} from '@platform/contracts';
import type { HttpClient, RequestOptions } from '../http.ts';
import { path } from '../url.ts';

/** Signing in. The refresh cookie is kept by the browser; the access token is the caller's to keep. */
export class AuthResource {
  private readonly http: HttpClient;

  constructor(http: HttpClient) {
    this.http = http;
  }

  login(credentials: LoginRequest, options?: RequestOptions): Promise<SignInResponse> {
    return this.byCookie('/api/auth/login', credentials, options);
  }

  /** A new access token for the refresh cookie; `spaceId` switches to another space of the user. */
  refresh(request: RefreshRequest = {}, options?: RequestOptions): Promise<SignInResponse> {
    return this.byCookie('/api/auth/refresh', request, options);
  }

  async logout(options?: RequestOptions): Promise<void> {
    await this.byCookie('/api/auth/logout', {}, options);
  }

  me(options?: RequestOptions): Promise<Me> {
    return this.http.get('/api/auth/me', {}, options);
  }

  /** Ends the other sign-ins and the keys in `revokeApiKeys`; the answer lists the API keys that are still valid. */
  changePassword(request: ChangePasswordRequest, options?: RequestOptions): Promise<ChangePasswordResponse> {
    return this.http.post('/api/auth/password', request, options);
  }

  /** The person's API keys in all spaces; with an API key, those of its space. */
  apiKeys(query: PageQuery = {}, options?: RequestOptions): Promise<Page<PersonalApiKey>> {
    return this.http.get('/api/auth/api-keys', { ...query }, options);
  }

  /** What the person is invited to. */
  invitations(query: PageQuery = {}, options?: RequestOptions): Promise<Page<ReceivedInvitation>> {
    return this.http.get('/api/auth/invitations', { ...query }, options);
  }

  /** Joins the space; `refresh({ spaceId })` goes there. */
  acceptInvitation(id: string, options?: RequestOptions): Promise<SpaceSummary> {
    return this.http.post(path`/api/auth/invitations/${id}/accept`, {}, options);
  }

  async declineInvitation(id: string, options?: RequestOptions): Promise<void> {
    await this.http.post(path`/api/auth/invitations/${id}/decline`, {}, options);
  }

  private byCookie<T>(path: string, body: unknown, options?: RequestOptions): Promise<T> {
    return this.http.json({ ...options, method: 'POST', path, body, byCookie: true });
  }
}

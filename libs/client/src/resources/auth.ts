import type { ChangePasswordRequest, LoginRequest, Me, RefreshRequest, SignedIn } from '@platform/contracts';
import type { HttpClient, RequestOptions } from '../http.ts';

/** Signing in. The refresh cookie is kept by the browser; the access token is the caller's to keep. */
export class AuthResource {
  private readonly http: HttpClient;

  constructor(http: HttpClient) {
    this.http = http;
  }

  login(credentials: LoginRequest, options?: RequestOptions): Promise<SignedIn> {
    return this.byCookie('/api/auth/login', credentials, options);
  }

  /** A new access token for the refresh cookie; `spaceId` switches to another space of the user. */
  refresh(request: RefreshRequest = {}, options?: RequestOptions): Promise<SignedIn> {
    return this.byCookie('/api/auth/refresh', request, options);
  }

  async logout(options?: RequestOptions): Promise<void> {
    await this.byCookie('/api/auth/logout', {}, options);
  }

  me(options?: RequestOptions): Promise<Me> {
    return this.http.get('/api/auth/me', {}, options);
  }

  async changePassword(request: ChangePasswordRequest, options?: RequestOptions): Promise<void> {
    await this.http.post('/api/auth/password', request, options);
  }

  private byCookie<T>(path: string, body: unknown, options?: RequestOptions): Promise<T> {
    return this.http.json({ ...options, method: 'POST', path, body, byCookie: true });
  }
}

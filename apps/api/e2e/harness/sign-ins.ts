import type { Me, SignInResponse } from '@platform/contracts';
import type { Answer, TestApp } from './app.ts';

export interface SignIn {
  /** `platform_refresh=…`, as a browser sends it back. */
  cookie: string;
  answer: SignInResponse;
}

export interface Account {
  email: string;
  password: string;
}

export const cookieOf = (answer: Answer<unknown>) => answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';

export const sessionIdOf = (cookie: string) => cookie.replace('platform_refresh=', '').split('.')[0] ?? '';

/** Browsers that sign in, without coming near the limit of sign-ins. */
export class SignIns {
  async login(app: TestApp, { email, password }: Account): Promise<Answer<SignInResponse>> {
    await app.sql('delete from rate_window');
    return app.request<SignInResponse>('POST', '/api/auth/login', { as: null, body: { email, password } });
  }

  async signIn(app: TestApp, account: Account): Promise<SignIn> {
    const answer = await this.login(app, account);
    if (answer.status !== 200) throw new Error(`${account.email} cannot sign in: ${answer.text}`);
    return { cookie: cookieOf(answer), answer: answer.body };
  }

  refresh(app: TestApp, cookie: string, body: object = {}): Promise<Answer<SignInResponse>> {
    const headers = { Cookie: cookie };
    return app.request<SignInResponse>('POST', '/api/auth/refresh', { as: null, body, headers });
  }

  me(app: TestApp, credential: string): Promise<Answer<Me>> {
    return app.request<Me>('GET', '/api/auth/me', { as: null, headers: bearer(credential) });
  }
}

export const bearer = (credential: string) => ({ Authorization: `Bearer ${credential}` });

import { Injectable } from '@nestjs/common';
import { parseCookie } from 'cookie';
import type { CookieOptions, Request, Response } from 'express';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { REFRESH_MS } from '../credentials/refresh-sessions.ts';

export const REFRESH_COOKIE = 'platform_refresh';

/** The browser's refresh token: out of reach of scripts, sent to the sign-in routes alone. */
@Injectable()
export class RefreshCookieService {
  private readonly options: CookieOptions;

  constructor(config: PlatformConfig) {
    this.options = cookieOptions(config.publicUrl);
  }

  read(req: Request): string | undefined {
    return parseCookie(req.get('Cookie') ?? '')[REFRESH_COOKIE];
  }

  write(res: Response, token: string): void {
    res.cookie(REFRESH_COOKIE, token, { ...this.options, maxAge: REFRESH_MS });
  }

  clear(res: Response): void {
    res.clearCookie(REFRESH_COOKIE, this.options);
  }
}

/** `Secure` only under https: a browser would drop such a cookie from plain http. */
export function cookieOptions(publicUrl: string): CookieOptions {
  return { httpOnly: true, sameSite: 'lax', path: '/api/auth', secure: publicUrl.startsWith('https:') };
}

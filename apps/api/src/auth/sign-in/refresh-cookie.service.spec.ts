import { REFRESH_COOKIE, cookieOptions } from './refresh-cookie.service.ts';
import { parseToken } from '../credentials/refresh-sessions.ts';

describe('the refresh cookie', () => {
  it('is out of reach of scripts and of other sites, and goes to the sign-in routes alone', () => {
    expect(REFRESH_COOKIE).toBe('platform_refresh');
    expect(cookieOptions('http://localhost:3000')).toEqual({
      httpOnly: true,
      sameSite: 'lax',
      path: '/api/auth',
      secure: false,
    });
  });

  it('is Secure exactly when the public address is https', () => {
    expect(cookieOptions('https://platform.example.com').secure).toBe(true);
  });
});

describe('parseToken', () => {
  const id = '01980000-0000-7000-8000-000000000001';
  const secret = 'A'.repeat(43);

  it('takes id and secret apart', () => {
    expect(parseToken(`${id}.${secret}`)).toEqual({ id, secret });
  });

  it.each(['', id, `${id}.`, `x.${secret}`, `${id}.${secret}x`, `${id}.${secret}.${secret}`])(
    'refuses %j',
    (text) => expect(parseToken(text)).toBeNull(),
  );
});
